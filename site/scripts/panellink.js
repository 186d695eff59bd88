// A source of states: the Panel component that this page script is mounted in, over its own connection.

export function panelLink(model) {
  let listener = () => {};
  const received = (message) => listener(message);
  const start = () => listener({type: 'ready'});
  model.on('msg:custom', received);
  return {
    start,
    restart: start,
    stop: () => model.off('msg:custom', received),
    send: (message) => model.send_msg(message),
    listen(callback) {
      listener = callback;
    },
  };
}
