"""Login, logout and the person's own account."""

from django.urls import path

from people.views import account, entry

urlpatterns = [
    path("login/", entry.Login.as_view(), name="login"),
    path("logout/", entry.Logout.as_view(), name="logout"),
    path("account/", account.account, name="account"),
    path("account/password/", account.change_password, name="account-password"),
    path("account/tokens/", account.make_token, name="token-new"),
    path("account/tokens/<int:pk>/revoke/", account.revoke_token, name="token-revoke"),
]
