/**
 * Forms whose button opens the browser's passkey dialog: `data-passkey="make"` or `"prove"`. What the dialog is
 * asked stands in `data-question`, or is fetched from `data-ask`; what it answers is sent with the form, and
 * whether the box `data-along` is ticked. `data-offer`: passkeys are also offered where the email is typed.
 */
import { t } from "../shared/i18n";

type Json = Record<string, unknown>;
type Descriptor = { id: string; type: "public-key"; transports?: AuthenticatorTransport[] };

/** What the server asks, bytes in base64url (WebAuthn's JSON form). */
type Question = {
  publicKey: Json & {
    challenge: string;
    user?: { id: string; name: string; displayName: string };
    allowCredentials?: Descriptor[];
    excludeCredentials?: Descriptor[];
  };
};

export type Dialogs = {
  /** Null: the person closed the dialog, or the device has nothing to offer. */
  make: (question: Question) => Promise<Json | null>;
  prove: (question: Question) => Promise<Json | null>;
  /** Waits, without a dialog, until a passkey is chosen among what the browser fills in; the signal ends it. */
  offer: (question: Question, signal: AbortSignal) => Promise<Json | null>;
  canOffer: () => Promise<boolean>;
};

export function toBytes(text: string): ArrayBuffer {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0)).buffer;
}

export function toText(bytes: ArrayBuffer): string {
  const plain = String.fromCharCode(...new Uint8Array(bytes));
  return btoa(plain).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

const descriptors = (list: Descriptor[] | undefined): PublicKeyCredentialDescriptor[] =>
  (list ?? []).map((one) => ({ ...one, id: toBytes(one.id) }));

function common(credential: PublicKeyCredential, response: Json): Json {
  return {
    id: credential.id,
    rawId: toText(credential.rawId),
    type: credential.type,
    response: { clientDataJSON: toText(credential.response.clientDataJSON), ...response },
    clientExtensionResults: {},
  };
}

/** The browser's own. Its JSON helpers are younger than the browsers we serve, so the bytes are turned by hand. */
export function browserDialogs(): Dialogs | null {
  if (!("PublicKeyCredential" in globalThis)) return null;
  async function prove(
    { publicKey }: Question,
    how: CredentialRequestOptions = {},
  ): Promise<Json | null> {
    const options = {
      ...publicKey,
      challenge: toBytes(publicKey.challenge),
      allowCredentials: descriptors(publicKey.allowCredentials),
    } as unknown as PublicKeyCredentialRequestOptions;
    const found = (await navigator.credentials.get({
      ...how,
      publicKey: options,
    })) as PublicKeyCredential | null;
    if (!found) return null;
    const response = found.response as AuthenticatorAssertionResponse;
    return common(found, {
      authenticatorData: toText(response.authenticatorData),
      signature: toText(response.signature),
      userHandle: response.userHandle && toText(response.userHandle),
    });
  }
  return {
    prove: (question) => prove(question),
    offer: (question, signal) => prove(question, { mediation: "conditional", signal }),
    canOffer: async () =>
      "isConditionalMediationAvailable" in PublicKeyCredential &&
      (await PublicKeyCredential.isConditionalMediationAvailable()),
    make: async ({ publicKey }) => {
      const options = {
        ...publicKey,
        challenge: toBytes(publicKey.challenge),
        user: publicKey.user && { ...publicKey.user, id: toBytes(publicKey.user.id) },
        excludeCredentials: descriptors(publicKey.excludeCredentials),
      } as unknown as PublicKeyCredentialCreationOptions;
      const made = (await navigator.credentials.create({
        publicKey: options,
      })) as PublicKeyCredential | null;
      if (!made) return null;
      const response = made.response as AuthenticatorAttestationResponse;
      return common(made, {
        attestationObject: toText(response.attestationObject),
        transports: response.getTransports(),
      });
    },
  };
}

async function questionOf(form: HTMLFormElement, signal?: AbortSignal): Promise<Question> {
  const { question, ask } = form.dataset;
  if (question) return JSON.parse(question) as Question;
  const token = form.elements.namedItem("csrfmiddlewaretoken") as HTMLInputElement;
  const answer = await fetch(ask ?? "", {
    method: "POST",
    headers: { "X-CSRFToken": token.value },
    signal: signal ?? null,
  });
  if (!answer.ok) throw new Error("no question");
  return (await answer.json()) as Question;
}

/** Why nothing came of it, in words that say what to do. */
function reason(error: unknown): string {
  const name = error instanceof Error || error instanceof DOMException ? error.name : "";
  if (name === "InvalidStateError") return t("This device already has a passkey for your account.");
  if (name === "NotAllowedError")
    return t("The passkey wasn't confirmed. Try again, or sign in another way.");
  if (name === "SecurityError")
    return t("Passkeys don't work at this address. Open the site at its own address.");
  return t("We couldn't request the passkey. Check your connection, then try again.");
}

function say(form: HTMLFormElement, sentence: string): void {
  const place = form.querySelector("[data-passkey-said]");
  const line = document.createElement("p");
  line.className = "field__error";
  line.textContent = sentence;
  place?.replaceChildren(...(sentence ? [line] : []));
}

function send(root: Document, form: HTMLFormElement, answer: Json): void {
  const box = root.getElementById(form.dataset.along ?? "");
  if (box instanceof HTMLInputElement && box.checked) {
    const along = root.createElement("input");
    Object.assign(along, { type: "hidden", name: box.name, value: "on" });
    form.append(along);
  }
  (form.elements.namedItem("credential") as HTMLInputElement).value = JSON.stringify(answer);
  form.requestSubmit();
}

/** What the server asked may be answered for five minutes: a page that stays open asks anew. */
const FRESH = 4 * 60_000;

/**
 * Offers passkeys where the email is typed, while the page is looked at. A browser asks one thing at a time:
 * whatever is sent ends the offer, a dialog too. What comes to nothing is not spoken of; nobody pressed anything.
 */
function startOffering(root: Document, form: HTMLFormElement, dialogs: Dialogs): () => void {
  let offered: AbortController | undefined;
  let timer: number | undefined;

  function end(): void {
    clearTimeout(timer);
    offered?.abort();
    offered = undefined;
  }
  async function begin(): Promise<void> {
    end();
    if (root.visibilityState !== "visible") return;
    const mine = new AbortController();
    offered = mine;
    timer = window.setTimeout(() => void begin(), FRESH);
    try {
      const answer = await dialogs.offer(await questionOf(form, mine.signal), mine.signal);
      if (answer && !mine.signal.aborted) send(root, form, answer);
    } catch {
      // Ended, refused, or offline: the button still works.
    }
  }
  void dialogs.canOffer().then((can) => {
    if (!can) return;
    void begin();
    root.addEventListener("submit", end, { capture: true });
    // Another tab may have been asked meanwhile, and only the last question of a browser can be answered.
    root.addEventListener("visibilitychange", () => void begin());
    addEventListener("pagehide", end);
    addEventListener("pageshow", ({ persisted }) => {
      if (persisted) void begin();
    });
  });
  return () => void begin();
}

export function startPasskeys(root: Document, dialogs: Dialogs | null): void {
  for (const form of root.querySelectorAll<HTMLFormElement>("form[data-passkey]")) {
    const field = form.elements.namedItem("credential") as HTMLInputElement;
    let isOpen = false;
    const offerAgain =
      dialogs && "offer" in form.dataset ? startOffering(root, form, dialogs) : undefined;
    form.addEventListener(
      "submit",
      (event) => {
        if (field.value !== "") return;
        // Before the page's other listeners: nothing is being sent yet.
        event.preventDefault();
        event.stopPropagation();
        if (!dialogs) {
          say(form, t("This browser doesn't support passkeys. Sign in another way."));
          return;
        }
        if (isOpen) return;
        isOpen = true;
        say(form, "");
        const open = form.dataset.passkey === "make" ? dialogs.make : dialogs.prove;
        void questionOf(form)
          .then(open)
          .then((answer) => {
            if (!answer) throw new DOMException("", "NotAllowedError");
            send(root, form, answer);
          })
          .catch((error: unknown) => {
            say(form, reason(error));
            offerAgain?.();
          })
          .finally(() => {
            isOpen = false;
          });
      },
      { capture: true },
    );
  }
  // From the browser's memory: what was answered has been used.
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    for (const form of root.querySelectorAll<HTMLFormElement>("form[data-passkey]"))
      (form.elements.namedItem("credential") as HTMLInputElement).value = "";
  });
}
