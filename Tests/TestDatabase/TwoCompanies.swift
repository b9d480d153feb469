package import FoundationEssentials
package import Postgres
internal import Store

/// A database in which two companies have at least one row in each table.
///
/// Shared by the isolation tests, which leave no changes.
package struct TwoCompanies: Sendable {
  package let database: TestDatabase
  package let superuser: Database
  package let app: Database
  package let worker: Database

  package static let a = id("a", 0)
  package static let b = id("b", 0)
  /// The member of company A who owns its private rows.
  package static let ownerOfA = id("a", 1)

  /// Returns the id of a row of a company: `a` or `b`, and a number of the script below; 0 is the company. The
  /// second halves of the ids of companies differ, as those of real companies do: lanes begin with them.
  package static func id(_ company: Character, _ number: Int) -> UUID {
    let digits = number == 0 ? "\(company)00000000000" : String(number)
    let text = "\(company)0000000-0000-7000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    return UUID(uuidString: text) ?? UUID()
  }

  package func pool(_ role: String) -> Database {
    switch role {
    case "fettle_app": app
    case "fettle_worker": worker
    default: superuser
    }
  }

  package static func shared() async throws -> TwoCompanies { try await Making.shared.value() }

  private actor Making {
    static let shared = Making()
    private var making: Task<TwoCompanies, any Error>?

    func value() async throws -> TwoCompanies {
      if let making { return try await making.value }
      // An unstructured task: all suites wait for it, and none may cancel it for the others.
      let task = Task { try await TwoCompanies.make() }
      making = task
      return try await task.value
    }
  }

  /// Returns a new such database, for tests that take locks on its tables.
  package static func make() async throws -> TwoCompanies {
    let database = try await TestDatabase.make()
    let superuser = database.connect(as: "postgres", poolSize: 3)
    for company in ["a", "b"] as [Character] {
      var options = TransactionOptions()
      options.settings = [.text("fettle.write", "import")]
      try await superuser.transaction(options) { tx in
        let apps = Installation.embeddedApps.compactMap { TwoCompanies.scripts[$0] }
        for script in [script] + apps {
          for statement in StatementSplitter.split(filled(script, company)) {
            try tx.execute(SQL(trusted: statement.text))
          }
        }
      }
    }
    return TwoCompanies(
      database: database,
      superuser: superuser,
      app: database.connect(as: "fettle_app", poolSize: 3),
      worker: database.connect(as: "fettle_worker", poolSize: 3)
    )
  }

  /// Replaces `{c}` by the company's id, `{x}` by its letter, and `{n}` by the id of a number.
  private static func filled(_ script: String, _ company: Character) -> String {
    var text = script.replacing("{c}", with: id(company, 0).uuidString).replacing("{x}", with: "\(company)")
    for number in 1...40 { text = text.replacing("{\(number)}", with: id(company, number).uuidString) }
    return text
  }

  private static let script = """
    insert into core.company (id, slug, name) values ('{c}', 'company-{x}', 'Company {x}');
    insert into core.role (company_id, name, label, built_in) select '{c}', name, label, true from core.builtin_role;
    insert into core.role (company_id, name, label) values ('{c}', 'greaser', 'Greaser');
    insert into core.role_permission (company_id, role, permission)
    values ('{c}', 'greaser', 'maintenance.entry.start');
    insert into core.app_user (id, email, name, password_hash) values ('{1}', 'owner@{x}.example', 'Owner', 'secret');
    insert into core.membership (company_id, user_id, role) values ('{c}', '{1}', 'owner');
    insert into core.invite (company_id, id, role, expires_at) values ('{c}', '{2}', 'user', now() + interval '1 day');
    insert into core.invite_locator (code_hmac, company_id, invite_id) values (sha256('{x}'), '{c}', '{2}');
    insert into core.invite_redemption (company_id, invite_id, user_id) values ('{c}', '{2}', '{1}');
    insert into core.api_token (id, company_id, user_id, name, secret_hash)
    values ('{3}', '{c}', '{1}', 'robot', sha256('{x}'));
    insert into core.session
      (company_id, id, user_id, kind, secret_hash, access_until, idle_seconds, idle_until, expires_at)
    values ('{c}', '{8}', '{1}', 'browser', sha256('{x}'), now(), 60, now(), now());
    insert into core.identity (issuer, subject, id, user_id) values ('https://{x}.example', 'owner', '{8}', '{1}');
    insert into core.sign_in (id, step, secret_hash, expires_at) values ('{8}', 'nonce', sha256('{x}'), now() + interval '1 day');
    insert into core.second_factor (user_id, pending_secret, pending_until) values ('{1}', '\\x00', now());
    insert into core.recovery_code (user_id, code_hash) values ('{1}', sha256('{x}'));
    insert into core.report_login (role_name, company_id) values ('report_{x}', '{c}');
    insert into core.audit (company_id, actor_kind, action) values ('{c}', 'system', 'member.added');
    insert into core.history_seal (company_id, sealed_on, record_count, digest)
    values ('{c}', '2026-01-01', 1, sha256('{x}'));
    insert into core.idempotency (company_id, key, actor, request_hash) values ('{c}', 'key', 'actor', '\\x00');
    insert into core.sync_gate (company_id) values ('{c}');
    insert into core.feed (company_id, scope, record_type, record_id, seq, op, version)
    values ('{c}', 'maintenance.entry', 'maintenance.entry', '{14}', 1, 'put', 1);
    insert into core.device (company_id, id, user_id, name) values ('{c}', '{4}', '{1}', 'Phone');
    insert into core.sync_item (company_id, device_id, no, status, record_type, record_id, op)
    values ('{c}', '{4}', 1, 'pending', 'maintenance.entry', '{14}', 'patch');
    insert into core.sync_floor (company_id, scope, seq) values ('{c}', 'maintenance.entry', 1);
    insert into core.timer (company_id, record_type, record_id, entry_no, fire, due_at)
    values ('{c}', 'maintenance.entry', '{14}', 1, 'remind', now());
    insert into core.schedule (company_id, name, app, kind, cron)
    values ('{c}', 'history.seal', 'core', 'history.seal', '10 3 * * *');
    insert into core.attachment
      (company_id, id, record_type, record_id, kind, name, original_sha256, size_bytes, media_type)
    values ('{c}', '{4}', 'maintenance.machine', '{10}', 'photo', 'pump.png', sha256('{x}'), 1, 'image/png');
    insert into core.blob (company_id, sha256, size_bytes) values ('{c}', sha256('{x}'), 1);
    insert into core.upload (company_id, id, record_type, record_id, kind, name, size_bytes, expires_at)
    values ('{c}', '{5}', 'maintenance.machine', '{10}', 'photo', 'pump.png', 1, now() + interval '1 day');
    insert into core.job_queued (company_id, lane, id, queue, kind, priority, max_attempts, payload)
    values ('{c}', core.job_lane('{c}', 'default', 'notify.send', 2), '{5}', 'default', 'notify.send', 2, 5, '{}');
    insert into core.job_deferred (company_id, lane, id, round, run_at, queue, kind, priority, max_attempts, payload)
    values ('{c}', core.job_lane('{c}', 'default', 'notify.send', 2), '{4}', 1, now(), 'default', 'notify.send', 2, 5, '{}');
    insert into core.job_end
      (company_id, lane, id, round, state, finished_at, queue, kind, priority, attempt, max_attempts, payload)
    values ('{c}', core.job_lane('{c}', 'default', 'notify.send', 2), '{6}', 1, 'dead', now(), 'default', 'notify.send', 2,
            5, 5, '{}');
    insert into core.job_key (company_id, kind, key, job_id) values ('{c}', 'notify.send', 'one', '{5}');
    insert into core.job_note (company_id, job_id, attempt, done, text) values ('{c}', '{5}', 1, 0.5, 'half way');
    insert into core.job_stop (company_id, id, round) values ('{c}', '{7}', 1);
    insert into core.job_claim
      (company_id, lane, no, worker_id, batch, before, upto, after_xid, after_id, last_xid, last_id, jobs)
    values ('{c}', core.job_lane('{c}', 'default', 'notify.send', 2), 1, '{7}', 1, '1:1:', '1:1:', '0', '{7}', '0', '{7}', 1);
    insert into core.job_ack (week, company_id, lane, no, outcome)
    values (date_trunc('week', now())::date, '{c}', core.job_lane('{c}', 'default', 'notify.send', 2), 1, 'lost');
    insert into core.job_attempt (company_id, job_id, attempt, fence, started_at) values ('{c}', '{5}', 1, 1, now());
    insert into core.job_pause (company_id, kind, paused_by) values ('{c}', 'notify.send', 'tester');
    insert into core.job_limit (company_id, kind, max_running, made_by) values ('{c}', 'notify.send', 1, 'tester');
    insert into core.job_token (company_id, limit_id, worker_id, leased) values ('{c}', '{5}', '{7}', 1);
    insert into core.job_rate (company_id, limit_id, ready, at) values ('{c}', '{5}', 1, now());
    insert into core.job_count (company_id, lane, queue, kind, priority, enqueued, since_xid, last_xid)
    values ('{c}', core.job_lane('{c}', 'default', 'notify.send', 2), 'default', 'notify.send', 2, 0, '0', '0');
    insert into core.job_count_mark (company_id, upto, counted_at) values ('{c}', '1:1:', now());
    insert into core.job_moment (company_id, xid, at) values ('{c}', '1', now());
    insert into core.job_pace (company_id, at, queue, kind, started) values ('{c}', now(), 'default', 'notify.send', 1);
    insert into core.notification (company_id, id, user_id, template) values ('{c}', '{6}', '{1}', 'maintenance.entry_started');
    insert into core.mail_profile (user_id, language) values ('{1}', 'sv');
    insert into core.mail_preference (company_id, user_id, digest) values ('{c}', '{1}', 'daily');
    insert into core.mail_request (id, purpose, email_key, requests) values ('{6}', 'reset', 'owner@{x}.example', 1);
    insert into core.mail_token (id, user_id, purpose, email_key, secret_hash, expires_at)
    values ('{6}', '{1}', 'reset', 'owner@{x}.example', sha256('{x}'), now() + interval '1 hour');
    insert into core.mail_delivery (company_id, job_id, letter, message_id, status, answer)
    values ('{c}', '{5}', 'notice', '{x}@{x}.example', 250, 'ok');
    insert into core.webhook (company_id, id, url, secret, events)
    values ('{c}', '{7}', 'https://{x}.example', sha256('{x}') || sha256('{x}'), '{maintenance.entry.completed}');
    insert into maintenance.machine (company_id, id, code, name, photo_id, created_by, status, status_category)
    values ('{c}', '{10}', 'RM-{x}', 'Roller', '{4}', '{1}', 'active', 'active');
    insert into maintenance.category (company_id, id, name, machine_id, created_by)
    values ('{c}', '{11}', 'Engine', '{10}', '{1}');
    insert into maintenance.meter (company_id, id, machine_id, name, unit, created_by)
    values ('{c}', '{12}', '{10}', 'Hours', 'h', '{1}');
    insert into maintenance.meter_reading (company_id, id, meter_id, value, taken_at, created_by)
    values ('{c}', '{13}', '{12}', 5, now(), '{1}');
    insert into maintenance.pm_plan
      (company_id, id, machine_id, category_id, title, meter_id, every_units, created_by, status, status_category)
    values ('{c}', '{15}', '{10}', '{11}', 'Oil', '{12}', 100, '{1}', 'active', 'active');
    insert into maintenance.entry
      (company_id, id, machine_id, category_id, description, reported_on, assigned_to, plan_id, created_by,
       status, status_category, started_by, completed_by)
    values ('{c}', '{14}', '{10}', '{11}', 'leaks', '2026-01-01', '{1}', '{15}', '{1}', 'pending', 'open', '{1}', '{1}');
    insert into maintenance.time_entry
      (company_id, id, entry_id, user_id, user_name, work_date, start_time, end_time, started_at, ended_at, created_by)
    values ('{c}', '{16}', '{14}', '{1}', 'Owner', '2026-01-01', '08:00', '09:00', '2026-01-01 08:00+00',
            '2026-01-01 09:00+00', '{1}');
    insert into core.entitlement (company_id, id, user_id, name, granted_by) values ('{c}', '{8}', '{1}', 'pro', 'x');
    insert into core.comment (company_id, id, record_type, record_id, body, created_by)
    values ('{c}', '{37}', 'maintenance.entry', '{14}', 'Bring a bucket', '{1}');
    insert into core.watcher (company_id, record_type, record_id, user_id)
    values ('{c}', 'maintenance.entry', '{14}', '{1}');
    insert into core.notification_preference (company_id, user_id, topic, delivery)
    values ('{c}', '{1}', '*', 'inbox');
    insert into core.company_app (company_id, app) values ('{c}', 'maintenance');
    insert into core.number_series (company_id, record_type, reserved) values ('{c}', 'maintenance.entry', 1);
    insert into core.webhook_delivery
      (company_id, id, webhook_id, job_id, delivery, event, attempt, duration_ms, outcome)
    values ('{c}', gen_random_uuid(), '{7}', gen_random_uuid(), 'd', 'test', 1, 1, 'delivered');
    insert into core.webhook_circuit (company_id, webhook_id, failures, reason) values ('{c}', '{7}', 1, 'refused');
    insert into core.quota (company_id, record_type, max_records) values ('{c}', '*', 1000000);
    insert into core.workflow_choice (company_id, record_type, version) values ('{c}', 'maintenance.entry', 1);
    insert into core.workflow_overlay (company_id, record_type, version, body)
    values ('{c}', 'maintenance.entry', 1, '{}');
    insert into core.workflow_own (company_id, record_type, version, based_on)
    values ('{c}', 'maintenance.entry', 1000000001, 1);
    insert into core.import (company_id, number, record_type, request_id)
    values ('{c}', 1, 'maintenance.entry', '{14}');
    insert into core.retention (company_id, subject, days, changed_by) values ('{c}', 'audit', 3650, 'tester');
    insert into core.record_link (company_id, id, record_type, record_id, created_by, secret_hash, expires_at)
    values (
      '{c}', gen_random_uuid(), 'maintenance.entry', '{14}', '{1}', sha256('{x}'), now() + interval '1 day'
    );
    insert into core.app_user (id, email, name, password_hash) values ('{20}', 'coach@{x}.example', 'Coach', 'secret');
    insert into core.membership (company_id, user_id, role) values ('{c}', '{20}', 'viewer');
    insert into core.member_grant (company_id, id, giver_id, receiver_id, scopes)
    values ('{c}', gen_random_uuid(), '{1}', '{20}', array['macros.entry.read']);
    insert into core.saved_view (company_id, id, kind, subject, name)
    values ('{c}', gen_random_uuid(), 'list', 'maintenance.entry', 'Open');
    insert into core.import_file (company_id, id, user_id, record_type, name)
    values ('{c}', gen_random_uuid(), '{1}', 'maintenance.entry', 'x.csv');
    insert into core.history (company_id, record_type, record_id, seq, kind, actor_kind, hash)
    values ('{c}', 'maintenance.entry', '{14}', 1000, 'create', 'system', sha256('{x}'));
    insert into core.history_erasure (company_id, record_type, record_id, seq, covers, reason)
    values ('{c}', 'maintenance.entry', '{14}', 1000, sha256('{x}'), 'request of the person');
    """
}
