// The blocking checks of the state annotation form, as the server runs them (annotation/tasks/
// state_annotation/form.py). Pure: takes values, gives codes. The server has the last word.

const INVISIBLE = /(?!\s)[\p{Cf}\p{Cc}]/gu;

const oneLine = (text) => text.replace(/\s*[\r\n\t\v\f\u2028\u2029]\s*/gu, " ").trim();

export const isBlank = (text) => text.replace(INVISIBLE, "").trim() === "";

export const characters = (text) => [...oneLine(text).normalize("NFC")].length;

export const isChanged = (original, text) =>
  oneLine(original).normalize("NFC") !== oneLine(text).normalize("NFC");

function folded(text) {
  return text.normalize("NFKC").replace(INVISIBLE, "").toLowerCase().split(/\s+/u).filter(Boolean).join(" ");
}

/**
 * @param values {assertion, justification: [string], changed_assertion, originals: [string],
 *   revision: [string]}
 * @returns [{field, code, ...parameters of the message}], in the order of the page
 */
export function findErrors(values, limit) {
  const errors = [];
  errors.push(...assertionErrors("assertion", values.assertion, "assertion_empty", limit));
  if (!values.justification.length) {
    errors.push({ field: "justification", code: "justification_empty" });
  }
  const changed = values.changed_assertion;
  errors.push(...assertionErrors("changed_assertion", changed, "changed_empty", limit));
  if (!isBlank(changed) && folded(values.assertion) === folded(changed)) {
    errors.push({ field: "changed_assertion", code: "changed_same" });
  }
  const empty = values.revision.flatMap((text, index) =>
    isBlank(text)
      ? [{ field: `revision_${index + 1}`, code: "sentence_empty", number: index + 1 }]
      : [],
  );
  errors.push(...empty);
  const nothing = values.revision.every((text, index) => !isChanged(values.originals[index], text));
  if (!empty.length && nothing) errors.push({ field: "revision", code: "nothing_changed" });
  return errors;
}

function assertionErrors(field, text, empty, limit) {
  if (isBlank(text)) return [{ field, code: empty }];
  const count = characters(text);
  return count > limit ? [{ field, code: "too_long", count, limit }] : [];
}

/** "%(name)s" in the server's messages, numbers as the server writes them. */
export function fillIn(message, parameters) {
  const { lang } = document.documentElement;
  return message.replace(/%\((\w+)\)s/gu, (_, name) => parameters[name].toLocaleString(lang || undefined));
}
