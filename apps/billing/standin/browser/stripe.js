// The stand-in's window.Stripe, for @stripe/stripe-js of the basil train: https://docs.stripe.com/js.
// The card fields are in a frame of this script's own origin, so no card number touches the page that loads it.
(() => {
  "use strict";
  const ORIGIN = new URL(document.currentScript.src).origin;
  const LOAD_SECONDS = 15;

  // --- Calls of the API with the publishable key -----------------------------------------------------------------

  const NETWORK = {
    type: "api_connection_error",
    message: "The payment provider did not respond. Check your connection and try again.",
  };

  /** {key: value, inner: {a: 1}} as the pairs key=value, inner[a]=1. */
  function pairs(values, prefix = "") {
    return Object.entries(values ?? {}).flatMap(([name, value]) => {
      const full = prefix ? `${prefix}[${name}]` : name;
      if (value === undefined || value === null) return [];
      return typeof value === "object" ? pairs(value, full) : [[full, String(value)]];
    });
  }

  async function call(key, method, path, values) {
    const form = new URLSearchParams(pairs(values)).toString();
    const isGet = method === "GET";
    try {
      const answer = await fetch(`${ORIGIN}${path}${isGet ? `?${form}` : ""}`, {
        method,
        headers: {
          Authorization: `Bearer ${key}`,
          "Content-Type": "application/x-www-form-urlencoded",
        },
        body: isGet ? undefined : form,
      });
      return await answer.json();
    } catch {
      return { error: NETWORK };
    }
  }

  const idOf = (secret) => String(secret ?? "").split("_secret_")[0];
  const isSetup = (secret) => idOf(secret).startsWith("seti_");
  const pathOf = (secret) =>
    `/v1/${isSetup(secret) ? "setup_intents" : "payment_intents"}/${idOf(secret)}`;
  const nameOf = (secret) => (isSetup(secret) ? "setupIntent" : "paymentIntent");
  const result = (secret, answer) =>
    answer.error ? { error: answer.error } : { [nameOf(secret)]: answer };

  function refuse(message) {
    return new Error(`Stripe stand-in: ${message}`);
  }

  // --- A frame of the stand-in, and messages with it --------------------------------------------------------------

  function frame(path, title) {
    const one = document.createElement("iframe");
    one.src = ORIGIN + path;
    one.title = title;
    one.allow = "payment *";
    Object.assign(one.style, { border: "0", width: "100%", display: "block", background: "none" });
    one.style.colorScheme = "normal";
    return one;
  }

  /** Messages of one frame; `ask` sends one and waits for its answer. */
  function channel(one, hear) {
    const waiting = new Map();
    const early = []; // until its first message the frame is still an empty page of the site
    let isOpen = false;
    let count = 0;
    function receive(event) {
      if (event.source !== one.contentWindow || event.origin !== ORIGIN) return;
      const { answerTo, ...message } = event.data ?? {};
      if (!isOpen) {
        isOpen = true;
        hear(message);
        for (const each of early.splice(0)) tell(each);
        return;
      }
      if (answerTo === undefined) return hear(message);
      waiting.get(answerTo)?.(message.value);
      waiting.delete(answerTo);
    }
    window.addEventListener("message", receive);
    const tell = (message) =>
      isOpen ? one.contentWindow?.postMessage(message, ORIGIN) : early.push(message);
    return {
      tell,
      ask: (message) =>
        new Promise((resolve) => {
          waiting.set((count += 1), resolve);
          tell({ ...message, question: count });
        }),
      close: () => window.removeEventListener("message", receive),
    };
  }

  // --- The bank's question (3-D Secure) ---------------------------------------------------------------------------

  /** Open the bank's page in a dialog; resolves when the cardholder has answered. */
  function askBank(action) {
    return new Promise((resolve) => {
      const dialog = document.createElement("dialog");
      dialog.setAttribute("aria-label", "Confirmation by your bank");
      Object.assign(dialog.style, {
        padding: "0",
        border: "1px solid #8888",
        borderRadius: "8px",
        width: "min(26rem, calc(100vw - 2rem))",
        maxWidth: "none",
        overflow: "hidden",
        background: "Canvas",
      });
      const bank = frame(new URL(action.use_stripe_sdk.stripe_js).pathname, "Your bank");
      bank.src = action.use_stripe_sdk.stripe_js;
      bank.style.height = "21rem";
      const messages = channel(bank, (message) => {
        if (message.type === "height") bank.style.height = `${message.value}px`;
        if (message.type === "answered") end();
      });
      function end() {
        messages.close();
        dialog.close();
        dialog.remove();
        resolve();
      }
      // Escape is a refusal, which the frame sends to the bank.
      dialog.addEventListener("cancel", (event) => {
        event.preventDefault();
        messages.tell({ type: "refuse" });
      });
      dialog.append(bank);
      document.body.append(dialog);
      dialog.showModal();
      bank.focus();
    });
  }

  /** Follow what the intent still needs, and return its last state. */
  async function follow(key, secret, answer) {
    if (answer.error || answer.status !== "requires_action") return result(secret, answer);
    await askBank(answer.next_action);
    const after = await call(key, "GET", pathOf(secret), { client_secret: secret });
    const failure = after.last_payment_error ?? after.last_setup_error;
    if (after.status === "requires_payment_method" && failure) {
      return { error: { ...failure, [isSetup(secret) ? "setup_intent" : "payment_intent"]: after } };
    }
    return result(secret, after);
  }

  // --- The Payment Element ----------------------------------------------------------------------------------------

  class Element {
    constructor(key, group, type, options) {
      Object.assign(this, { key, group, type, options: options ?? {} });
      this.listeners = new Map();
      this.isReady = false;
      this.isFilled = false;
    }

    on(name, listener) {
      this.listeners.set(name, [...(this.listeners.get(name) ?? []), listener]);
      return this;
    }

    once(name, listener) {
      const once = (event) => {
        this.off(name, once);
        listener(event);
      };
      return this.on(name, once);
    }

    off(name, listener) {
      const kept = (this.listeners.get(name) ?? []).filter((one) => listener && one !== listener);
      this.listeners.set(name, kept);
      return this;
    }

    emit(name, event) {
      for (const listener of this.listeners.get(name) ?? []) {
        listener({ elementType: this.type, ...event });
      }
    }

    mount(place) {
      const parent = typeof place === "string" ? document.querySelector(place) : place;
      if (!parent) throw refuse("the place to mount the element does not exist.");
      this.unmount();
      this.frame = frame("/frame/card", "Card details");
      // The frame leaves room for the outlines of its fields, which line up with those of the page.
      Object.assign(this.frame.style, { height: "14rem", width: "calc(100% + 4px)", margin: "-2px" });
      this.channel = channel(this.frame, (message) => this.hear(message));
      this.timer = setTimeout(() => this.fail(), LOAD_SECONDS * 1000);
      parent.replaceChildren(this.frame);
    }

    fail() {
      if (!this.isReady) this.emit("loaderror", { error: NETWORK });
    }

    hear(message) {
      if (message.type === "loaded") {
        const { appearance, fonts, mode, amount, currency } = this.group.options;
        this.channel.tell({ type: "begin", key: this.key, appearance, fonts, mode, amount, currency });
      } else if (message.type === "ready") {
        clearTimeout(this.timer);
        this.isReady = true;
        this.emit("ready", {});
      } else if (message.type === "height") {
        this.frame.style.height = `${message.value}px`;
      } else if (message.type === "change") {
        const { empty, complete } = message;
        this.emit("change", { empty, complete, collapsed: false, value: { type: "card" } });
      } else {
        this.emit(message.type, {}); // focus, blur, escape
      }
    }

    update(options) {
      Object.assign(this.options, options);
    }

    focus() {
      this.frame?.focus();
      this.channel?.tell({ type: "focus" });
    }

    blur() {
      this.frame?.blur();
    }

    clear() {
      this.channel?.tell({ type: "clear" });
    }

    collapse() {}

    unmount() {
      clearTimeout(this.timer);
      this.channel?.close();
      this.frame?.remove();
      this.isReady = false;
      this.frame = this.channel = undefined;
    }

    destroy() {
      this.unmount();
      this.group.forget(this);
    }

    ask(message) {
      if (!this.isReady) throw refuse("the element is not ready.");
      return this.channel.ask(message);
    }
  }

  class Elements {
    constructor(key, options) {
      this.key = key;
      this.options = { ...options };
      this.made = [];
    }

    create(type, options) {
      if (type !== "payment") throw refuse(`only the payment element exists, not ${type}.`);
      if (this.getElement(type)) throw refuse(`there is already an element of type ${type}.`);
      const element = new Element(this.key, this, type, options);
      this.made.push(element);
      return element;
    }

    getElement(type) {
      return this.made.find((one) => one.type === type) ?? null;
    }

    forget(element) {
      this.made = this.made.filter((one) => one !== element);
    }

    update(options) {
      Object.assign(this.options, options);
      const { appearance } = this.options;
      for (const one of this.made) one.channel?.tell({ type: "look", appearance });
    }

    async fetchUpdates() {
      return {};
    }

    /** Check the fields and show what is wrong: https://docs.stripe.com/js/elements/submit. */
    async submit() {
      const element = this.getElement("payment");
      if (!element) throw refuse("elements.submit() needs a mounted payment element.");
      const error = await element.ask({ type: "check" });
      return error ? { error } : { selectedPaymentMethod: "card" };
    }

    on() {
      return this;
    }

    off() {
      return this;
    }
  }

  // --- Stripe ----------------------------------------------------------------------------------------------------

  class Stripe {
    constructor(key) {
      if (!/^pk_/.test(key ?? "")) throw refuse("the publishable key is missing.");
      this.key = key;
    }

    elements(options) {
      return new Elements(this.key, options);
    }

    confirmPayment(options) {
      return this.confirm(options);
    }

    confirmSetup(options) {
      return this.confirm(options);
    }

    async confirm({ elements, clientSecret, confirmParams = {}, redirect = "always" }) {
      const secret = clientSecret ?? elements?.options.clientSecret;
      if (!secret) throw refuse("there is no client secret.");
      const { payment_method_data: data, return_url: back, ...more } = confirmParams;
      if (redirect === "always" && !back) throw refuse("confirmParams.return_url is required.");
      const values = { ...more, client_secret: secret, use_stripe_sdk: true };
      let answer;
      if (more.payment_method) {
        answer = await call(this.key, "POST", `${pathOf(secret)}/confirm`, values);
      } else {
        const element = elements?.getElement("payment");
        if (!element) throw refuse("there is no payment element and no payment method.");
        const billing = data?.billing_details;
        answer = await element.ask({ type: "confirm", path: pathOf(secret), values, billing });
      }
      const told = await follow(this.key, secret, answer);
      if (told.error || redirect !== "always") return told;
      const url = new URL(back);
      const kind = isSetup(secret) ? "setup_intent" : "payment_intent";
      url.searchParams.set(kind, idOf(secret));
      url.searchParams.set(`${kind}_client_secret`, secret);
      url.searchParams.set("redirect_status", told[nameOf(secret)].status);
      window.location.assign(url);
      return new Promise(() => {});
    }

    /** Pay with a saved card: https://docs.stripe.com/js/payment_intents/confirm_card_payment. */
    async confirmCardPayment(secret, data = {}, { handleActions = true } = {}) {
      const { return_url: _, payment_method: method, ...more } = data;
      if (method && typeof method !== "string") throw refuse("pass the id of a saved card.");
      const values = { ...more, payment_method: method, client_secret: secret, use_stripe_sdk: true };
      const answer = await call(this.key, "POST", `${pathOf(secret)}/confirm`, values);
      return handleActions ? follow(this.key, secret, answer) : result(secret, answer);
    }

    confirmCardSetup(secret, data, options) {
      return this.confirmCardPayment(secret, data, options);
    }

    async handleNextAction({ clientSecret }) {
      const answer = await call(this.key, "GET", pathOf(clientSecret), { client_secret: clientSecret });
      return follow(this.key, clientSecret, answer);
    }

    async retrievePaymentIntent(secret) {
      return result(secret, await call(this.key, "GET", pathOf(secret), { client_secret: secret }));
    }

    retrieveSetupIntent(secret) {
      return this.retrievePaymentIntent(secret);
    }

    async createPaymentMethod({ elements, params } = {}) {
      const element = elements?.getElement("payment");
      if (!element) throw refuse("createPaymentMethod needs a payment element.");
      const billing = params?.billing_details;
      const answer = await element.ask({ type: "createPaymentMethod", billing });
      return answer.error ? answer : { paymentMethod: answer };
    }

    async createToken() {
      throw refuse("tokens are not supported; use the payment element.");
    }

    registerAppInfo() {}

    _registerWrapper() {}
  }

  window.Stripe = Object.assign((key) => new Stripe(key), { version: "basil" });
})();
