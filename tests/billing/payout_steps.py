"""What sequences do with payouts, see `test_sequences`."""

from contextlib import suppress

from apps.billing import services
from apps.billing.models import ConnectedAccount, Payout
from apps.billing.services import connected_accounts
from apps.billing.standin.errors import ApiError
from studyplatform.kit.errors import AppError

NUMBER = {"account_number": "000123456789", "routing_number": "110000000"}


class PayoutSteps:
    """The part of a sequence's run that concerns payouts to instructors and to the platform's own bank."""

    def method(self, is_connected):
        """The instructor chooses where payouts go."""
        if not is_connected:
            services.save_bank_account(
                user=self.teacher, holder="Ada", number="DE89370400440532013000", bank_code="", now=self.moment()
            )
            return
        with suppress(AppError):
            urls = {"return_url": "http://testserver/", "refresh_url": "http://testserver/"}
            begun = connected_accounts.begin_onboarding(user=self.teacher, now=self.moment(), **urls)
            row = ConnectedAccount.objects.get(user=self.teacher)
            if begun:
                self.standin.complete_account(row.gateway_id, NUMBER)
                connected_accounts.sync_connected_account(gateway_id=row.gateway_id, now=self.moment())

    def payouts(self):
        """A run. It fails where the provider has too little, which the next one makes up for."""
        services.run_payouts(self.moment().date(), now=self.moment())

    def mark(self, is_sent, is_newest):
        """An admin marks a payout."""
        payouts = Payout.objects.filter(instructor=self.teacher, state__in=["processing", "sent"])
        found = payouts.order_by("-pk" if is_newest else "pk").first()
        if found is not None:
            with suppress(AppError):
                if is_sent:
                    services.mark_payout_sent(found.pk, now=self.moment())
                else:
                    services.fail_payout(found.pk, Payout.Failure.OTHER, now=self.moment())

    def reverse(self, percent):
        """Someone takes back a part of the newest transfer at the provider."""
        for transfer in self.own_rows("transfer")[:1]:
            with suppress(ApiError):
                self.call(f"transfers/{transfer['id']}/reversals", amount=max(1, transfer["amount"] * percent // 100))

    def bank_out(self, percent):
        """Someone has the provider pay a part of its balance to the platform's bank."""
        amount = self.balance().get("usd", 0) * percent // 100
        if amount > 0:
            self.call("payouts", amount=amount, currency="usd")

    def bank_back(self):
        """The platform's bank sends its newest payout back."""
        for payout in self.own_rows("payout")[:1]:
            with suppress(ApiError):
                self.standin.fail_payout(payout["id"])

    def fee(self, amount):
        """The provider takes a fee that belongs to no payment, and the tax on it."""
        self.standin.charge_fee(amount)
        self.standin.charge_fee(amount // 5 + 1, type="tax_fee", description="VAT")
