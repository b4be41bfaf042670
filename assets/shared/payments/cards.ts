/** A saved card as pages give it to islands. */
export type SavedCard = {
  uid: string;
  /** As people write it: Visa. */
  brand: string;
  last4: string;
  /** Such as 04/27. */
  expiry: string;
  is_default: boolean;
  is_expired: boolean;
  /** The date on which a bank declined it; empty if none did. */
  declined_on: string;
};
