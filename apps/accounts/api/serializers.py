"""Shapes of the session calls."""

from rest_framework import serializers

from apps.accounts.models import Role, Style, Theme


class LogInIn(serializers.Serializer[object]):
    email = serializers.EmailField(max_length=254)
    password = serializers.CharField(min_length=8, max_length=128, trim_whitespace=False)


class SessionUser(serializers.Serializer[object]):
    id = serializers.UUIDField()
    username = serializers.CharField()
    email = serializers.EmailField()
    first_name = serializers.CharField()
    last_name = serializers.CharField()
    role = serializers.ChoiceField(choices=Role.choices)
    roles = serializers.ListField(child=serializers.ChoiceField(choices=Role.choices))
    avatar_url = serializers.CharField(allow_null=True)
    theme = serializers.ChoiceField(choices=Theme.choices, allow_blank=True)
    style = serializers.ChoiceField(choices=Style.choices, allow_blank=True)  # type: ignore[assignment]


class LookIn(serializers.Serializer[object]):
    theme = serializers.ChoiceField(choices=Theme.choices, allow_blank=True, help_text="Empty: as the device.")
    style = serializers.ChoiceField(choices=Style.choices)  # type: ignore[assignment]


class SessionOut(serializers.Serializer[object]):
    user = SessionUser()
    token = serializers.CharField()


class ResendOut(serializers.Serializer[object]):
    wait = serializers.IntegerField(
        help_text="Seconds until another email can be requested; 0 means one is on its way."
    )


class PasskeyOptionsOut(serializers.Serializer[object]):
    publicKey = serializers.DictField()  # noqa: N815 (the name that browsers know)
