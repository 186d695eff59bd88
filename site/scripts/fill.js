// A template of the engine's sentences with every `{name}` replaced by its word.

const FIELD = /\{([^{}]+)\}/g;

export const fill = (template, words) => template.replace(FIELD, (_, name) => words(name));
