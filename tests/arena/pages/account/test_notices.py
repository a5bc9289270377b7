from django.test import Client

from arena.accounts.models import User
from arena.notices.models import Delivery, Event, Notice, Webhook
from arena.notices.services import notify_user

URL = "https://8.8.8.8/hook"


def logged_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_a_new_notice_is_counted_in_the_frame_until_it_is_read(ana: User, ben: User) -> None:
    notify_user(user=ana, event=Event.SUSPENDED, text="K <b>was</b> suspended.", url="/bots/k/")
    reader = logged_in(ana)
    assert "1 new" in reader.get("/start/").content.decode()
    assert "1 new" not in logged_in(ben).get("/start/").content.decode()
    page = reader.get("/notices/").content.decode()
    assert "K &lt;b&gt;was&lt;/b&gt; suspended." in page and 'href="/bots/k/"' in page
    assert "1 new" not in reader.get("/start/").content.decode()


def test_nobody_reads_notices_or_webhooks_without_logging_in(client: Client, ana: User) -> None:
    webhook = Webhook.objects.create(owner=ana, url=URL, events=[Event.MATCH_FINISHED])
    for address in ("/notices/", "/webhooks/", f"/webhooks/{webhook.pk}/"):
        assert client.get(address).status_code == 302


def test_a_webhook_is_added_tested_and_deleted(ana: User) -> None:
    owner = logged_in(ana)
    answer = owner.post("/webhooks/", {"url": URL, "events": [Event.TRIAL_FINISHED]}, follow=True)
    webhook = Webhook.objects.get()
    assert webhook.key in answer.content.decode() and webhook.events == ["trial.finished"]
    owner.post(f"/webhooks/{webhook.pk}/test/")
    assert Delivery.objects.get().event == Event.PING
    assert "ping" in owner.get(f"/webhooks/{webhook.pk}/").content.decode()
    Webhook.objects.update(is_active=False)
    assert "Enable it" in owner.get(f"/webhooks/{webhook.pk}/").content.decode()
    owner.post(f"/webhooks/{webhook.pk}/enable/")
    assert Webhook.objects.get().is_active
    owner.post(f"/webhooks/{webhook.pk}/delete/")
    assert not Webhook.objects.exists()


def test_an_address_inside_is_refused_beside_its_field(ana: User) -> None:
    answer = logged_in(ana).post("/webhooks/", {"url": "http://127.0.0.1:6379/", "events": [Event.TRIAL_FINISHED]})
    assert answer.status_code == 400 and not Webhook.objects.exists()
    assert "arena&#x27;s own network" in answer.content.decode()
    assert answer.context["form"].errors["url"]


def test_a_webhook_is_its_owners_alone(ana: User, ben: User) -> None:
    webhook = Webhook.objects.create(owner=ana, url=URL, events=[Event.MATCH_FINISHED])
    stranger = logged_in(ben)
    assert stranger.get(f"/webhooks/{webhook.pk}/").status_code == 404
    for verb in ("test", "wake", "delete"):
        assert stranger.post(f"/webhooks/{webhook.pk}/{verb}/").status_code == 404
    assert URL not in stranger.get("/webhooks/").content.decode()
    assert Notice.objects.count() == 0 and Webhook.objects.count() == 1


def test_the_list_of_notices_has_pages(ana: User) -> None:
    Notice.objects.bulk_create(Notice(user=ana, event=Event.TRIAL_FINISHED, text=f"No. {n}.") for n in range(40))
    first = logged_in(ana).get("/notices/")
    assert "No. 39." in first.content.decode() and "No. 5." not in first.content.decode()
    older = logged_in(ana).get(f"/notices/?before={first.context['page'].older}")
    assert "No. 5." in older.content.decode()
