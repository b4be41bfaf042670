// The frame with the card fields. It alone sees the card number, and sends it to its own origin only.
(() => {
  "use strict";
  const $ = (id) => document.getElementById(id);
  const fields = { number: $("number"), expiry: $("expiry"), cvc: $("cvc") };
  const touched = new Set();
  let site = "*"; // the page's origin, known from its first message
  let key = "";

  const tell = (message) => window.parent.postMessage(message, site);

  // --- What is entered --------------------------------------------------------------------------------------------

  const digits = (field) => fields[field].value.replace(/\D/g, "");
  const BRANDS = [
    ["Visa", /^4/, [16], 3],
    ["Mastercard", /^(5[1-5]|2[2-7])/, [16], 3],
    ["American Express", /^3[47]/, [15], 4],
  ];

  function brandOf(number) {
    const [name, , lengths, cvc] = BRANDS.find(([, start]) => start.test(number)) ?? ["", , [16], 3];
    return { name, lengths, cvc };
  }

  /** The check digit of card numbers (ISO/IEC 7812-1). */
  function isValid(number) {
    const sum = [...number].reverse().reduce((total, digit, index) => {
      const twice = Number(digit) * 2;
      return total + (index % 2 ? twice - (twice > 9 ? 9 : 0) : Number(digit));
    }, 0);
    return sum % 10 === 0;
  }

  function expiry() {
    const entered = digits("expiry");
    const year = Number(entered.slice(2));
    return { month: Number(entered.slice(0, 2)), year: entered.length === 6 ? year : 2000 + year };
  }

  /** What is wrong with a field: [code, message], or nothing. */
  function problem(field) {
    const entered = digits(field);
    if (field === "number") {
      const { lengths } = brandOf(entered);
      if (entered.length < lengths[0]) return ["incomplete_number", "Your card number is incomplete."];
      if (entered.length > lengths.at(-1) || !isValid(entered)) {
        return ["invalid_number", "Your card number is invalid."];
      }
    } else if (field === "expiry") {
      if (entered.length < 4 || entered.length === 5) {
        return ["incomplete_expiry", "Your card's expiration date is incomplete."];
      }
      const { month, year } = expiry();
      const now = new Date();
      if (month < 1 || month > 12) return ["invalid_expiry_month", "There is no such month."];
      if (year < now.getFullYear() || (year === now.getFullYear() && month <= now.getMonth())) {
        return ["invalid_expiry_year_past", "This card has expired."];
      }
      if (year > now.getFullYear() + 50) return ["invalid_expiry_year", "There is no such year."];
    } else if (entered.length !== brandOf(digits("number")).cvc) {
      return ["incomplete_cvc", "Your card's security code is incomplete."];
    }
    return undefined;
  }

  function show(field, message) {
    $(`${field}-error`).textContent = message ?? "";
    fields[field].setAttribute("aria-invalid", String(Boolean(message)));
    measure();
  }

  function format(field) {
    const entered = digits(field);
    if (field === "number") {
      const { name, cvc } = brandOf(entered);
      const groups = cvc === 4 ? /^(\d{0,4})(\d{0,6})(\d{0,5}).*/ : /^(\d{0,4})(\d{0,4})(\d{0,4})(\d{0,7}).*/;
      fields.number.value = entered.replace(groups, "$1 $2 $3" + (cvc === 4 ? "" : " $4")).trim();
      $("brand").textContent = name;
      fields.cvc.placeholder = `${cvc} digits`;
    } else if (field === "expiry") {
      const month = /^[2-9]/.test(entered) ? `0${entered}` : entered;
      fields.expiry.value = month.length > 2 ? `${month.slice(0, 2)} / ${month.slice(2, 6)}` : month;
    } else {
      fields.cvc.value = entered.slice(0, 4);
    }
  }

  /** Format while typing, and keep the caret behind the digit it was behind. */
  function typed(field) {
    const input = fields[field];
    const before = input.value.slice(0, input.selectionStart).replace(/\D/g, "").length;
    const isAtEnd = input.selectionStart === input.value.length;
    format(field);
    if (!isAtEnd) {
      let position = 0;
      for (let seen = 0; position < input.value.length && seen < before; position += 1) {
        if (/\d/.test(input.value[position])) seen += 1;
      }
      input.setSelectionRange(position, position);
    }
    if (touched.has(field)) show(field, problem(field)?.[1]);
    changed();
  }

  function changed() {
    const names = Object.keys(fields);
    const empty = names.every((name) => !fields[name].value);
    tell({ type: "change", empty, complete: names.every((name) => !problem(name)) });
  }

  /** Show every problem and focus the first field that has one; returns it as an error of Stripe. */
  function check() {
    const wrong = Object.keys(fields).filter((name) => problem(name));
    for (const name of Object.keys(fields)) {
      touched.add(name);
      show(name, problem(name)?.[1]);
    }
    if (!wrong.length) return undefined;
    fields[wrong[0]].focus();
    const [code, message] = problem(wrong[0]);
    return { type: "validation_error", code, message };
  }

  // --- Sending ----------------------------------------------------------------------------------------------------

  /** The card as fields of a form, within `prefix` if there is one. */
  function cardForm(billing, prefix = "") {
    const { month, year } = expiry();
    const within = (...path) => {
      const [first, ...inner] = prefix ? [prefix, ...path] : path;
      return first + inner.map((name) => `[${name}]`).join("");
    };
    return [
      [within("type"), "card"],
      [within("card", "number"), digits("number")],
      [within("card", "exp_month"), month],
      [within("card", "exp_year"), year],
      [within("card", "cvc"), digits("cvc")],
      ...Object.entries(billing ?? {})
        .filter(([, value]) => typeof value === "string")
        .map(([detail, value]) => [within("billing_details", detail), value]),
    ];
  }

  async function send(path, form) {
    try {
      const answer = await fetch(path, {
        method: "POST",
        headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams(form),
      });
      const body = await answer.json();
      if (body.error) refused(body.error);
      return body;
    } catch {
      const message = "The payment provider did not respond. Check your connection and try again.";
      return { error: { type: "api_connection_error", message } };
    }
  }

  /** The bank's answer at the field that it is about; the security code is to be entered again. */
  function refused({ code, message }) {
    const field = { incorrect_number: "number", invalid_expiry_month: "expiry", invalid_expiry_year: "expiry" }[code];
    if (field) show(field, message);
    if (code === "incorrect_cvc") show("cvc", message);
    if (!field) fields.cvc.value = "";
    changed();
  }

  function confirm({ path, values, billing }) {
    const error = check();
    if (error) return { error };
    const plain = Object.entries(values).filter(([, value]) => typeof value !== "object" && value !== undefined);
    return send(`${path}/confirm`, [...plain, ...cardForm(billing, "payment_method_data")]);
  }

  function createPaymentMethod({ billing }) {
    const error = check();
    return error ? { error } : send("/v1/payment_methods", cardForm(billing));
  }

  const questions = { check, confirm, createPaymentMethod };

  // --- The page's look ---------------------------------------------------------------------------------------------

  const SELECTOR = /^\.(Input|Label|Error|Note|Field)(--invalid)?(:hover|:focus|::placeholder)?$/;
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [sheet];

  /** appearance: https://docs.stripe.com/elements/appearance-api. */
  function look({ variables = {}, rules = {} } = {}) {
    for (const [name, value] of Object.entries(variables)) {
      if (/^[a-zA-Z]+$/.test(name)) document.documentElement.style.setProperty(`--${name}`, String(value));
    }
    const lines = [];
    for (const [selector, properties] of Object.entries(rules)) {
      if (!SELECTOR.test(selector)) continue;
      const real = selector.replace("--invalid", '[aria-invalid="true"]').replace(":focus", ":focus-visible");
      const body = Object.entries(properties)
        .filter(([name, value]) => /^[a-zA-Z-]+$/.test(name) && !/[;{}]|url\(/i.test(String(value)))
        .map(([name, value]) => `${name.replace(/[A-Z]/g, (one) => `-${one.toLowerCase()}`)}: ${value}`);
      lines.push(`${real} { ${body.join("; ")} }`);
    }
    sheet.replaceSync(lines.join("\n"));
    measure();
  }

  /** Fonts of the page: [{family, src, weight, style}]. */
  async function fonts(wanted = []) {
    for (const { family, src, ...descriptors } of wanted) {
      if (!family) continue;
      try {
        document.fonts.add(await new FontFace(family, src, descriptors).load());
      } catch {
        // The next font of the family list is used.
      }
    }
    measure();
  }

  function measure() {
    tell({ type: "height", value: Math.ceil(document.body.getBoundingClientRect().height) });
  }

  // --- Messages of the page ----------------------------------------------------------------------------------------

  window.addEventListener("message", async (event) => {
    if (event.source !== window.parent) return;
    const { type, question, ...rest } = event.data ?? {};
    if (type === "begin") {
      site = event.origin;
      key = rest.key;
      look(rest.appearance);
      void fonts(rest.fonts);
      tell({ type: "ready" });
    } else if (type === "look") look(rest.appearance);
    else if (type === "focus") fields.number.focus();
    else if (type === "clear") $("card").reset();
    else if (Object.hasOwn(questions, type)) tell({ answerTo: question, value: await questions[type](rest) });
  });

  for (const [name, input] of Object.entries(fields)) {
    input.addEventListener("input", () => typed(name));
    input.addEventListener("focus", () => tell({ type: "focus" }));
    input.addEventListener("blur", () => {
      if (input.value) touched.add(name);
      if (touched.has(name)) show(name, problem(name)?.[1]);
      tell({ type: "blur" });
    });
  }
  $("card").addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("keydown", ({ key: pressed }) => pressed === "Escape" && tell({ type: "escape" }));
  new ResizeObserver(measure).observe(document.body);
  window.parent.postMessage({ type: "loaded" }, "*"); // says nothing about the card; the answer tells the page's origin
})();
