/** Where tus-js-client stores the addresses of unfinished uploads. */
import { defaultOptions } from "tus-js-client";

export type UrlStorage = (typeof defaultOptions)["urlStorage"];

const NOT_STORED = "not stored";

/**
 * The same storage, but an upload goes on where nothing can be stored: a full or forbidden storage would otherwise end
 * each attempt, as if the connection were lost. It then isn't found again after a reload by its file alone.
 */
export function storeIfPossible(storage: UrlStorage): UrlStorage {
  return {
    findAllUploads: () => storage.findAllUploads(),
    findUploadsByFingerprint: (fingerprint) => storage.findUploadsByFingerprint(fingerprint),
    removeUpload: (key) => (key === NOT_STORED ? Promise.resolve() : storage.removeUpload(key)),
    addUpload: async (fingerprint, upload) => {
      try {
        return await storage.addUpload(fingerprint, upload);
      } catch {
        return NOT_STORED;
      }
    },
  };
}

export const storedAddresses = storeIfPossible(defaultOptions.urlStorage);
