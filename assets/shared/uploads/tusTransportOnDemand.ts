import { makeError } from "../api/errors";
import type { Running, Transport } from "./transport";
import type { tusTransport } from "./tusTransport";

/** Like `tusTransport`, for places where few people upload: its code is fetched with the first file. */
export function tusTransportOnDemand(...options: Parameters<typeof tusTransport>): Transport {
  let loading: Promise<Transport> | null = null;
  const load = () => {
    loading ??= import("./tusTransport").then((module) => module.tusTransport(...options));
    loading.catch(() => {
      loading = null; // the next file tries again
    });
    return loading;
  };
  return {
    start(task, events) {
      let running: Running | null = null;
      let isStopped = false;
      load().then(
        (transport) => {
          if (!isStopped) running = transport.start(task, events);
        },
        () => {
          if (!isStopped) events.onFail(makeError("UPLOAD_NETWORK_ERROR"));
        },
      );
      return {
        stop() {
          isStopped = true;
          running?.stop();
        },
      };
    },
    findPrevious: async (file) => (await load()).findPrevious(file),
    remove: async (url) => (await load()).remove(url),
  };
}
