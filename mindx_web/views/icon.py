"""The icon that browsers ask for by themselves, also on pages that name none."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.templatetags.static import static
from django.views.decorators.http import require_safe


@login_not_required
@require_safe
def favicon(request: HttpRequest) -> HttpResponse:
    """Point to the mark."""
    return HttpResponseRedirect(static("mark.svg"))
