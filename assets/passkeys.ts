// The script of pages where users sign in with a passkey or add one.
import { browserDialogs, startPasskeys } from "./passkeys/passkeyForms";

startPasskeys(document, browserDialogs());
