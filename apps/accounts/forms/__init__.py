"""Validation of the pages' forms, by topic. Messages are the specification's where it has one."""

from apps.accounts.forms.administration import Block, DecideTeaching
from apps.accounts.forms.fields import one_line
from apps.accounts.forms.passwords import ChangePassword, ConfirmPassword, ForgotPassword, NewPassword, ResetPassword
from apps.accounts.forms.personal_tokens import NewPersonalToken
from apps.accounts.forms.profile import Profile, ProfilePicture, time_zones
from apps.accounts.forms.registration import FinishRegistration, Register, RegisterWithProvider
from apps.accounts.forms.settings import (
    Appearance,
    ChangeEmail,
    DeleteAccount,
    EmailSharing,
    Goals,
    RequestToTeach,
)
from apps.accounts.forms.sign_in import (
    AppCode,
    EmailCode,
    NewPasskey,
    PasskeyName,
    PasskeyResponse,
    SecondStepCode,
    SignIn,
)

__all__ = [
    "AppCode",
    "Appearance",
    "Block",
    "ChangeEmail",
    "ChangePassword",
    "ConfirmPassword",
    "DecideTeaching",
    "DeleteAccount",
    "EmailCode",
    "EmailSharing",
    "FinishRegistration",
    "ForgotPassword",
    "Goals",
    "NewPasskey",
    "NewPassword",
    "NewPersonalToken",
    "PasskeyName",
    "PasskeyResponse",
    "Profile",
    "ProfilePicture",
    "Register",
    "RegisterWithProvider",
    "RequestToTeach",
    "ResetPassword",
    "SecondStepCode",
    "SignIn",
    "one_line",
    "time_zones",
]
