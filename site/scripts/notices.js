// What the reader should know about the address the page was opened with.

export function createNotices(root) {
  const list = root.querySelector('[data-notices]');
  return (sentences) => {
    const items = sentences.map((sentence) => {
      const item = document.createElement('li');
      item.textContent = sentence;
      return item;
    });
    list?.replaceChildren(...items);
  };
}
