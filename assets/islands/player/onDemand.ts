/** What the first minutes of a video do not need: each is fetched when it is first shown. assets/budgets.mjs lists them. */
import { later } from "./later";

export const EndScreen = later(() => import("./EndScreen").then((module) => module.EndScreen));
export const Preview = later(() => import("./Preview").then((module) => module.Preview));
export const QualityNotice = later(() =>
  import("./QualityNotice").then((module) => module.QualityNotice),
);
export const SettingsPanel = later(() =>
  import("./SettingsPanel").then((module) => module.SettingsPanel),
);
