"""The API under /api/v1: views deny access by default; all errors have one format."""

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "apps.accounts.authentication.BearerAuthentication",
        "studyplatform.kit.web.drf_defaults.CookieAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["studyplatform.kit.web.drf_defaults.DenyAll"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "studyplatform.kit.web.drf_defaults.FirstRenderer",
    "DEFAULT_PARSER_CLASSES": ["studyplatform.kit.web.drf_defaults.JsonParser"],
    "DEFAULT_PAGINATION_CLASS": "studyplatform.kit.web.api.Pages",
    "PAGE_SIZE": 24,
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "studyplatform.kit.web.api.problem_handler",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Study Platform API",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "DESCRIPTION": "Courses, lessons, quizzes, progress, uploads. Failures are RFC 9457 problem details.",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SCHEMA_PATH_PREFIX": r"/api/v1",
    "COMPONENT_SPLIT_REQUEST": True,
    "COMPONENT_SPLIT_PATCH": False,  # each serializer declares its optional fields
    "ENUM_NAME_OVERRIDES": {
        "RoleEnum": "apps.accounts.models.Role.choices",
        "FileKind": "apps.files.models.FileKind.choices",
        "PreviewKind": "apps.files.previews.PreviewKind.choices",
        "LessonKind": [("video", "Video"), ("text", "Text"), ("quiz", "Quiz"), ("file", "File")],
        "PracticeRating": [(1, "Again"), (2, "Hard"), (3, "Good"), (4, "Easy")],
        "AnswerRating": [(1, "1"), (-1, "-1")],
        "LessonState": ["completed", "in_progress", "available", "locked"],
        "PostState": "apps.forum.models.PostState.choices",
        "ForumDecision": ["approve", "reject", "hide", "keep", "remove", "ban"],
        "FollowLevel": "apps.forum.models.Level.choices",
        "TopicKind": [
            ("question", "Question"),
            ("discussion", "Discussion"),
            ("share", "Share"),
            ("announcement", "Announcement"),
        ],
        "SplitKind": [("question", "Question"), ("discussion", "Discussion"), ("share", "Share")],
        "NoteKind": [("note", "Note"), ("moment", "Moment")],
        "ReactionKind": [("thanks", "Thank you"), ("insight", "New to me"), ("celebrate", "Well done")],
        "QuestionKind": [
            ("single", "Single choice"),
            ("multiple", "Multiple choice"),
            ("truth", "True or false"),
            ("numeric", "Number"),
            ("text", "Short text"),
            ("ordering", "Ordering"),
            ("matching", "Matching"),
        ],
    },
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "studyplatform.kit.web.api.add_problems",
    ],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "/static/favicons/icon.svg",
}
