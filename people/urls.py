"""Login, logout and the person's own account."""

from django.urls import path

from people.views import account, entry, oidc

urlpatterns = [
    path("login/", entry.Login.as_view(), name="login"),
    path("login/oidc/", oidc.start, name="oidc"),
    path("login/oidc/return/", oidc.come_back, name="oidc-return"),
    path("logout/", entry.Logout.as_view(), name="logout"),
    path("account/", account.account, name="account"),
    path("account/password/", account.change_password, name="account-password"),
    path("account/sign-in/connect/", oidc.connect, name="oidc-connect"),
    path("account/sign-in/disconnect/", oidc.disconnect, name="oidc-disconnect"),
    path("account/tokens/", account.make_token, name="token-new"),
    path("account/tokens/<int:pk>/revoke/", account.revoke_token, name="token-revoke"),
]
