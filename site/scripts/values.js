// What a text in a number box or in the address stands for.

const PLAIN = /^[+-]?(\d{1,3}(,\d{3})+|\d+)?(\.\d+)?(e[+-]?\d+)?$/i;

// A plain decimal number, with thousands commas or an exponent if the reader likes; null for anything else.
// Nothing is guessed: "8k" is not 8,000 here, the model answers it and says what is allowed.
export function parseNumber(text) {
  const plain = text.trim();
  if (!/^[+-]?\.?\d/.test(plain) || !PLAIN.test(plain)) return null;
  const value = Number(plain.replaceAll(',', ''));
  // A row of digits beyond 2^53 would silently become its neighbour.
  const rounded = /^[+-]?[\d,]+$/.test(plain) && !Number.isSafeInteger(value);
  return Number.isFinite(value) && !rounded ? value : null;
}

// The value of an input where the text is plain, else the text itself, for the model to answer.
export function readValue(input, text) {
  if (input.kind === 'text') return text;
  const option = input.options?.find(({value}) => String(value) === text);
  if (option) return option.value;
  if (input.none && text.trim().toLowerCase() === 'none') return 'none';
  return parseNumber(text) ?? text;
}

// Whether a value of a number input is one, and not a text that only the model can answer.
export const isValue = (input, value) => typeof value === 'number' || Boolean(input.none && value === 'none');
