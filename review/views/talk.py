"""Comments, questions and answers on a plan. Each is an ordinary form."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_POST

from agents.models import IntentPlan
from agents.record.errors import NotPossibleNow, NotYours, StaleDigest
from review.deciding import contradicting
from review.errors import WordsRefused
from review.models import Comment
from review.talk import comments
from review.views.plan import asking, chosen_steps, render_plan, visible_plan


@require_POST
def say(request: HttpRequest, pk: int) -> HttpResponse:
    """Store a note or a question. If refused: the page again with the typed text."""
    plan, text, anchor = visible_plan(request, pk), request.POST.get("text", ""), request.POST.get("anchor", "")
    kind = Comment.Kind.QUESTION if request.POST.get("kind") == "question" else Comment.Kind.NOTE
    try:
        comment = comments.say(plan, by=asking(request), text=text, anchor=anchor, kind=kind)
    except WordsRefused as error:
        typed: dict[str, Any] = {"say_text": text, "say_anchor": anchor}
        return _again(request, plan, 422, trouble=str(error), field=f"say_{error.field}", **typed)
    except (NotPossibleNow, NotYours) as error:
        plan.refresh_from_db()
        return _again(request, plan, 409, trouble=str(error), say_text=text, say_anchor=anchor)
    return _to(request, plan, comment)


@require_POST
def answer(request: HttpRequest, pk: int, comment_id: int) -> HttpResponse:
    """Answer a question."""
    plan = visible_plan(request, pk)
    question = _comment(plan, comment_id)
    text = request.POST.get("text", "")
    try:
        comments.answer(question, by=asking(request), text=text)
    except WordsRefused as error:
        typed: dict[str, Any] = {"answer_to": str(comment_id), "answer_text": text}
        return _again(request, plan, 422, trouble=str(error), field="answer", **typed)
    except NotYours as error:
        messages.error(request, str(error))
    return _to(request, plan, question)


@require_POST
def settle(request: HttpRequest, pk: int, comment_id: int) -> HttpResponse:
    """Resolve or reopen one's own comment."""
    plan = visible_plan(request, pk)
    comment = _comment(plan, comment_id)
    try:
        comments.settle(comment, by=asking(request), is_settled=request.POST.get("state") == "resolved")
    except (NotPossibleNow, NotYours) as error:
        messages.error(request, str(error))
    return _to(request, plan, comment)


@require_POST
def contradict(request: HttpRequest, pk: int) -> HttpResponse:
    """Deny a belief of the plan: the agent plans again."""
    plan, user = visible_plan(request, pk), asking(request)
    belief = request.POST.get("belief", "")
    known = belief.isascii() and belief.isdigit() and len(belief) < 19
    row = plan.goal.beliefs.filter(pk=int(belief)).first() if known else None
    sentence = row.sentence if row is not None else ""
    digest, instead = request.POST.get("digest", ""), request.POST.get("instead", "")
    try:
        contradicting.contradict(plan, by=user, digest=digest, sentence=sentence, instead=instead)
    except WordsRefused as error:
        typed: dict[str, Any] = {"denied": belief, "instead": instead}
        return _again(request, plan, 422, trouble=str(error), field="instead", **typed)
    except (NotPossibleNow, StaleDigest) as error:
        plan.refresh_from_db()
        return _again(request, plan, 409, trouble=str(error))
    except NotYours as error:
        return _again(request, plan, 403, trouble=str(error))
    messages.success(request, "The agent drops that belief and plans again. The new revision says what changed.")
    return HttpResponseRedirect(plan.goal.get_absolute_url())


def _again(request: HttpRequest, plan: IntentPlan, status: int, **said: object) -> HttpResponse:
    """The page with the typed text and the same selected steps."""
    return render_plan(request, plan, status=status, chosen=chosen_steps(request.POST), **said)


def _comment(plan: IntentPlan, pk: int) -> Comment:
    """A comment on one of the goal's plans; those of other goals are 404."""
    return get_object_or_404(Comment.objects.select_related("intent_plan", "by"), pk=pk, goal_id=plan.goal_id)


def _to(request: HttpRequest, plan: IntentPlan, comment: Comment) -> HttpResponse:
    """Go to the comment on the plan's page, with the same selected steps."""
    chosen = chosen_steps(request.POST)
    kept = "" if chosen is None else "?" + urlencode({"ticks": "", "intents": chosen}, doseq=True)
    return HttpResponseRedirect(f"{plan.get_absolute_url()}{kept}#said-{comment.pk}")
