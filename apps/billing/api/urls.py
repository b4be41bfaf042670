from django.urls import path

from apps.billing.api import premium, promo_codes, views

urlpatterns = [
    path("billing/premium/", premium.Premium.as_view()),
    path("billing/premium/terms/", premium.PremiumTerms.as_view()),
    path("billing/premium/pay/", premium.PremiumPay.as_view()),
    path("billing/premium/sync/", premium.PremiumSync.as_view()),
    path("billing/courses/<slug:slug>/promo-codes/", promo_codes.CoursePromoCodes.as_view()),
    path("billing/promo-codes/<uuid:uid>/end/", promo_codes.PromoCodeEnd.as_view()),
    path("billing/quote/", views.Quotes.as_view()),
    path("billing/vat-number/", views.VatNumbers.as_view()),
    path("billing/orders/", views.Orders.as_view()),
    path("billing/orders/<uuid:uid>/pay/", views.OrderPayment.as_view()),
    path("billing/orders/<uuid:uid>/sync/", views.OrderSync.as_view()),
    path("billing/cards/", views.Cards.as_view()),
    path("billing/cards/done/", views.CardsDone.as_view()),
    path("billing/cards/<uuid:uid>/", views.CardDetail.as_view()),
]
