/**
 * Forms whose button opens the passkey dialog of the browser (WebAuthn): `data-passkey="make"` creates a passkey,
 * `"prove"` uses one. The options are in `data-question` or fetched from `data-ask`; the credential is sent with the
 * form, and so is the checkbox `data-along`. `data-offer`: passkeys are also offered in the email field.
 */
import { t } from "../shared/i18n";

type Json = Record<string, unknown>;
type Descriptor = { id: string; type: "public-key"; transports?: AuthenticatorTransport[] };

/** The options of the server in the JSON form of WebAuthn, with bytes as base64url. */
type Options = {
  publicKey: Json & {
    challenge: string;
    user?: { id: string; name: string; displayName: string };
    allowCredentials?: Descriptor[];
    excludeCredentials?: Descriptor[];
  };
};

export type Dialogs = {
  /** Null: the user closed the dialog, or the device has no passkey. */
  make: (options: Options) => Promise<Json | null>;
  prove: (options: Options) => Promise<Json | null>;
  /** Waits until a passkey is chosen from autofill (conditional mediation); the signal ends it. */
  offer: (options: Options, signal: AbortSignal) => Promise<Json | null>;
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

/** The dialogs of the browser. Its JSON helpers are newer than the browsers we support, so bytes are converted here. */
export function browserDialogs(): Dialogs | null {
  if (!("PublicKeyCredential" in globalThis)) return null;
  async function prove(
    { publicKey }: Options,
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
    prove: (options) => prove(options),
    offer: (options, signal) => prove(options, { mediation: "conditional", signal }),
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

async function fetchOptions(form: HTMLFormElement, signal?: AbortSignal): Promise<Options> {
  const { question, ask } = form.dataset;
  if (question) return JSON.parse(question) as Options;
  const token = form.elements.namedItem("csrfmiddlewaretoken") as HTMLInputElement;
  const answer = await fetch(ask ?? "", {
    method: "POST",
    headers: { "X-CSRFToken": token.value },
    signal: signal ?? null,
  });
  if (!answer.ok) throw new Error("no options");
  return (await answer.json()) as Options;
}

/** The message for an error, which says what to do. */
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

/** A challenge is valid for five minutes, so a page that stays open requests a new one earlier. */
const RENEW_MS = 4 * 60_000;

/**
 * Offers passkeys in the email field while the page is visible. A browser handles one request at a time, so sending a
 * form or opening a dialog ends the offer. Its errors are not shown, as the user has not pressed anything.
 */
function startOffering(root: Document, form: HTMLFormElement, dialogs: Dialogs): () => void {
  let offered: AbortController | undefined;
  let timer: number | undefined;
  let isSent = false; // a form, before the browser said whether it can offer

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
    timer = window.setTimeout(() => void begin(), RENEW_MS);
    try {
      const answer = await dialogs.offer(await fetchOptions(form, mine.signal), mine.signal);
      if (answer && !mine.signal.aborted) send(root, form, answer);
    } catch {
      // Ended, refused, or offline: the button still works.
    }
  }
  root.addEventListener(
    "submit",
    () => {
      isSent = true;
      end();
    },
    { capture: true },
  );
  void dialogs.canOffer().then((can) => {
    if (!can || isSent) return;
    void begin();
    // Another tab may have requested a challenge, and only the latest one of a browser is valid.
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
        // Before other listeners of the page: the form is not sent yet.
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
        void fetchOptions(form)
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
  // Shown from the back/forward cache: the credential was used.
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    for (const form of root.querySelectorAll<HTMLFormElement>("form[data-passkey]"))
      (form.elements.namedItem("credential") as HTMLInputElement).value = "";
  });
}
