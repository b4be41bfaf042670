import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId } from "react";

import { type Device, fetchDevices, removeDevice } from "../../offline/controls/api";
import { describeFailure } from "../../offline/controls/failures";
import type { Store } from "../../offline/controls/store";
import type { Account } from "../../offline/types";
import { confirmFirst } from "../../shared/confirming";
import { relativeTime } from "../../shared/format";
import { t } from "../../shared/i18n";
import { toast } from "../../shared/toasts";
import { Icon } from "../../shared/ui/Icon";

const DEVICES_QUERY = ["offline-devices"];

type Props = {
  /** Null: it stores nothing in this browser. */
  account: Account | null;
  store: Store;
  isOnline: boolean;
  reload: () => Promise<void>;
};

/** The browsers in which this account stores lessons. */
export function Devices({ account, store, isOnline, reload }: Props) {
  const heading = useId();
  const queries = useQueryClient();
  const devices = useQuery({ queryKey: DEVICES_QUERY, queryFn: fetchDevices, enabled: isOnline });
  const removing = useMutation({
    mutationFn: async ({ uid }: Device) => {
      if (uid === account?.device) await store.removeDevice(account.user);
      else await removeDevice(uid);
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: DEVICES_QUERY });
      await reload();
    },
    onError: (error) => toast(describeFailure(error), { icon: "circle-alert" }),
  });
  const remove = async (device: Device): Promise<void> => {
    const isThis = device.uid === account?.device;
    const isSure = await confirmFirst({
      title: t("Remove {device}?", { device: device.name }),
      text: isThis
        ? t(
            "This removes all lessons and unsent changes from this device. Everything already sent is kept.",
          )
        : t(
            "Its lessons can no longer be opened, and are deleted when it's next online. Changes it hasn't sent are lost.",
          ),
      confirm: t("Remove"),
    });
    if (isSure) removing.mutate(device);
  };
  if (!account && !devices.data?.length) return null;
  return (
    <section aria-labelledby={heading}>
      <div className="sec-head sec-head--fine">
        <h2 className="h4" id={heading}>
          {t("Your devices")}
        </h2>
      </div>
      {!isOnline && !devices.data && (
        <p className="small muted">{t("The list of your devices needs a connection.")}</p>
      )}
      {devices.error && isOnline && <p className="small muted">{describeFailure(devices.error)}</p>}
      {devices.data && (
        <ul className="device">
          {devices.data.map((device) => (
            <li key={device.uid}>
              <Icon name="smartphone" />
              <span>
                {device.name}
                <span className="small faint block">
                  {device.uid === account?.device
                    ? t("This device")
                    : t("Last online {time}", { time: relativeTime(device.last_contact_at) })}
                </span>
              </span>
              <button
                className="btn btn--quiet btn--sm"
                type="button"
                disabled={!isOnline}
                aria-label={t("Remove {device}", { device: device.name })}
                onClick={() => void remove(device)}
              >
                {t("Remove")}
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
