// Pages of the way in: passkeys, and codes to copy or print. Loaded by these pages alone.
// site.ts has brought the words: named here too, the build makes one file of them, not one per user.
import "./shared/announce";
import "./shared/format";

import { startKeeping } from "./security/keeping";
import { browserDialogs, startPasskeys } from "./security/passkeys";

startPasskeys(document, browserDialogs());
startKeeping(document);
