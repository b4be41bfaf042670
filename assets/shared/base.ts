/**
 * What every page loads through site.ts. The build imports this module into all scripts and islands (`inject`), so
 * that it is one file for all of them instead of one for each combination of scripts that shares a module.
 */
import "./announce";
import "./api/csrf";
import "./appearance";
import "./auth/browser";
import "./connection";
import "./dialog";
import "./format";
import "./i18n";
import "./icons";
import "./offlineMarker";
import "./shortcuts";
import "./toasts";
