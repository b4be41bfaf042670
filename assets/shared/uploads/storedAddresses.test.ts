import { expect, it, vi } from "vitest";

import { storeIfPossible, type UrlStorage } from "./storedAddresses";

const upload = {
  size: 10,
  metadata: {},
  creationTime: "",
  uploadUrl: "/api/v1/uploads/7/",
  urlStorageKey: "",
  parallelUploadUrls: null,
};

it("lets an upload go on if its address can't be stored", async () => {
  const removeUpload = vi.fn(() => Promise.resolve());
  const full: UrlStorage = {
    findAllUploads: () => Promise.resolve([]),
    findUploadsByFingerprint: () => Promise.resolve([]),
    addUpload: () => {
      throw new DOMException("full", "QuotaExceededError");
    },
    removeUpload,
  };
  const storage = storeIfPossible(full);

  await storage.removeUpload(await storage.addUpload("a file", upload));

  expect(removeUpload).not.toHaveBeenCalled();
});

it("stores, finds and forgets addresses where that is possible", async () => {
  const known = new Map<string, typeof upload>();
  const storage = storeIfPossible({
    findAllUploads: () => Promise.resolve([...known.values()]),
    findUploadsByFingerprint: () => Promise.resolve([...known.values()]),
    addUpload: (fingerprint) => {
      known.set(fingerprint, upload);
      return Promise.resolve(fingerprint);
    },
    removeUpload: (key) => {
      known.delete(key);
      return Promise.resolve();
    },
  });
  const key = await storage.addUpload("a file", upload);
  expect(await storage.findUploadsByFingerprint("a file")).toEqual([upload]);

  await storage.removeUpload(key);

  expect(await storage.findAllUploads()).toEqual([]);
});
