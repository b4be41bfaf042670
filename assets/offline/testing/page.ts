/** A page with a browser and a server for each test. */
import { afterEach, beforeEach, vi } from "vitest";

import { forgetListenersAfterEach } from "../../shared/testing/listeners";
import { type Browser, define, stubBrowser } from "./browser";
import { FakeServer } from "./server";
import { openTab, type Tab } from "./tab";

export type Stage = { browser: Browser; server: FakeServer; tab: Tab };

/** What stands on stage in each test: a browser in which nothing is stored, a server, and ada's page in a tab. */
export function setStage(): Stage {
  const stage = {} as Stage;
  forgetListenersAfterEach();
  beforeEach(async () => {
    stage.browser = stubBrowser();
    stage.server = new FakeServer();
    vi.stubGlobal("fetch", stage.server.fetch);
    stage.tab = await openTab();
  });
  afterEach(async () => {
    stage.tab.stopDownloads();
    define("onLine", true);
    await stage.tab.closeDatabase();
  });
  return stage;
}
