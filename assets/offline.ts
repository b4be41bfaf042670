// The page /offline: the list of the lessons on this device; and the shell, which takes the place of every other page
// without a connection.
import "./offline/controls/installOffer";
import { browserDependencies } from "./offline/shell/browserStore";
import { startShell } from "./offline/shell/start";

void startShell(browserDependencies);
