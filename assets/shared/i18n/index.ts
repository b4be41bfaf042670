/**
 * Texts of the islands. The English sentence is the key, so the code reads as the page does; another
 * language arrives as a JSON script `#study-messages` that the server puts into the page
 * (docs/translating.md).
 */
export type Values = Record<string, string | number>;

/** English sentence → translation, or for counted ones its plural forms by category. */
export type Messages = Record<string, string | Partial<Record<Intl.LDMLPluralRule, string>>>;

let messages: Messages = {};
let language = "en";
let plurals = new Intl.PluralRules(language);

export function setMessages(next: Messages, lang: string): void {
  messages = next;
  language = lang;
  plurals = new Intl.PluralRules(lang);
}

/** Read the messages and the language of the page. */
function loadMessages(): void {
  const text = document.getElementById("study-messages")?.textContent;
  setMessages(text ? (JSON.parse(text) as Messages) : {}, document.documentElement.lang || "en");
}

export function currentLanguage(): string {
  return language;
}

function fill(sentence: string, values: Values): string {
  return sentence.replace(/\{(\w+)\}/g, (place, name: string) => {
    const value = values[name];
    return value === undefined ? place : String(value);
  });
}

/** The sentence in the language of the page, with its `{placeholders}` filled. */
export function t(sentence: string, values: Values = {}): string {
  const found = messages[sentence];
  return fill(typeof found === "string" ? found : sentence, values);
}

/** A counted sentence: `tn("{count} lesson", "{count} lessons", 3)`. */
export function tn(one: string, many: string, count: number, values: Values = {}): string {
  const found = messages[one];
  const forms = typeof found === "object" ? found : { one, other: many };
  const form = forms[plurals.select(count)] ?? forms.other ?? many;
  return fill(form, { count, ...values });
}

// Read when this module is first imported, so that texts which other modules define at the top are translated too.
// A service worker has no document.
if (typeof document !== "undefined") loadMessages();
