// The reader predicts first: results stay covered until a prediction is committed or skipped, then the model judges it.
// Answers are kept in this browser, each with the words and the inputs it was made for, and judged anew on the next
// visit: the page never stores what the right answer is.

import {parseNumber} from './values.js';
import {keep, recall} from './store.js';

const WAITING = 'Your prediction is kept. It is compared as soon as the model has started.';
const NUMBER_NEEDED = 'A prediction is a number above 0 here, such as 1,024 or 0.5.';
const CHOICE_NEEDED = 'Choose one of the answers, or skip.';

export function createPredictions(root, spec, {judge, currentInputs, refill, announce, onMade, signal}) {
  const results = root.querySelector('[data-results]');
  const forms = new Map([...root.querySelectorAll('[data-prediction]')].map((form) => [form.dataset.prediction, form]));
  const key = `prediction.${spec.slug}`;
  let kept = read();

  function read() {
    try {
      return {answers: {}, ...JSON.parse(recall(key))};
    } catch {
      return {answers: {}};
    }
  }

  function cover(covered) {
    if (!results) return;
    results.classList.toggle('covered', covered);
    results.inert = covered;
    if (covered) results.setAttribute('aria-hidden', 'true');
    else results.removeAttribute('aria-hidden');
  }

  const promptOf = (form) => form.querySelector('[data-slot$=".prompt"]');

  function fill(form, texts) {
    for (const place of form.querySelectorAll('[data-judged]')) place.textContent = texts[place.dataset.judged] ?? '';
  }

  function complain(form, message) {
    const place = form.querySelector('[data-error-for]');
    if (place) place.textContent = message;
    const box = form.querySelector('input[type="text"]');
    if (box && message) box.setAttribute('aria-invalid', 'true');
    else box?.removeAttribute('aria-invalid');
  }

  function answerIn(form) {
    if (form.dataset.kind !== 'numeric') return form.querySelector('[name="answer"]:checked')?.value ?? null;
    const answer = parseNumber(form.querySelector('[name="answer"]').value);
    // Refused here already: by the time the model refuses it, the results would be uncovered.
    return answer > 0 ? answer : null;
  }

  function showAnswer(form, answer) {
    for (const field of form.querySelectorAll('[name="answer"]')) {
      if (field.type === 'radio') field.checked = field.value === answer;
      else field.value = String(answer);
    }
  }

  // `isNew`: the reader has just made it; else it was kept from an earlier visit.
  async function compare(id, isNew) {
    const form = forms.get(id);
    const {answer, inputs, prompt} = kept.answers[id];
    form.dataset.state = 'judged';
    promptOf(form).textContent = prompt;
    fill(form, {verdict: WAITING});
    try {
      const {texts} = await judge(id, answer, inputs);
      if (kept.answers[id]?.answer !== answer) return;
      if (texts.error) {
        reopen(form);
        complain(form, texts.error);
        return;
      }
      fill(form, texts);
      if (!isNew) return;
      announce(texts.verdict);
      onMade({id, answer, inputs, prompt, texts});
    } catch (error) {
      fill(form, {verdict: `This prediction could not be compared: ${error.message}`});
    }
  }

  function commit(form) {
    const answer = answerIn(form);
    if (answer === null) {
      complain(form, form.dataset.kind === 'numeric' ? NUMBER_NEEDED : CHOICE_NEEDED);
      form.querySelector('[name="answer"]').focus();
      return;
    }
    complain(form, '');
    const id = form.dataset.prediction;
    kept.answers[id] = {answer, inputs: currentInputs(), prompt: promptOf(form).textContent};
    keep(key, JSON.stringify(kept));
    cover(false);
    compare(id, true);
    // The fields give way to the comparison, so the focus goes there instead of getting lost.
    focusOn(form.querySelector('[data-judged-box]'));
  }

  function skip(form) {
    complain(form, '');
    form.dataset.state = 'skipped';
    kept.skipped = true;
    keep(key, JSON.stringify(kept));
    if (results?.inert) {
      cover(false);
      focusOn(results);
    }
  }

  function reopen(form) {
    delete kept.answers[form.dataset.prediction];
    keep(key, JSON.stringify(kept));
    form.dataset.state = 'open';
    fill(form, {});
    refill();
  }

  function again(form) {
    reopen(form);
    if (!isAsked(form)) return;
    cover(true);
    form.querySelector('[name="answer"]').focus();
  }

  // The model flags off the fields of a prompt that has no meaning for the current inputs.
  const isAsked = (form) => !form.querySelector('[name="answer"]').closest('[hidden]');

  function focusOn(element) {
    if (!element) return;
    element.tabIndex = -1;
    element.focus();
  }

  // Enter in a field clicks the button too. The form itself is never submitted: a sandboxed frame may not, and says nothing.
  root.addEventListener('click', (event) => {
    const button = event.target.closest('[data-action="commit-prediction"]');
    if (!button) return;
    event.preventDefault();
    commit(button.closest('[data-prediction]'));
  }, {signal});
  for (const [id, {answer}] of Object.entries(kept.answers)) {
    if (!forms.has(id)) continue;
    showAnswer(forms.get(id), answer);
    compare(id, false);
  }

  return {
    // A cover that no prompt can lift any more must go.
    follow() {
      if (results?.inert && ![...forms.values()].some(isAsked)) cover(false);
    },
    skip: (button) => skip(button.closest('[data-prediction]')),
    again: (button) => again(button.closest('[data-prediction]')),
    forget() {
      kept = {answers: {}};
      for (const form of forms.values()) {
        form.reset();
        form.dataset.state = 'open';
        fill(form, {});
        refill();
      }
    },
  };
}
