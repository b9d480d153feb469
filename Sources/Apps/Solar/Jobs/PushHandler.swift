internal import Domain
package import Engine
internal import FoundationEssentials
package import Jobs
internal import Postgres
package import Secrets
internal import Store
package import Webhooks

/// `solar.push`: sends a recording to its site's utility by HTTPS POST, with the recording's id as its
/// idempotency key, at most three times. The result and the resulting transition are written in the
/// transaction of the job's success. Each further attempt is a new job.
package struct PushHandler: JobHandler {
  package let kind = "solar.push"
  /// Four: a utility's server that hangs must not occupy a worker.
  package var maxRunningPerCompany: Int? { 4 }
  /// True: nearly all of its time is the receiver's.
  package var waitsOutside: Bool { true }
  private let records: Records
  private let client: WebhookClient
  private let secrets: SecretFolder?

  /// - Parameter secrets: the folder of the secrets that accounts refer to; nil for none.
  package init(_ records: Records, client: WebhookClient, secrets: SecretFolder?) {
    self.records = records
    self.client = client
    self.secrets = secrets
  }

  /// - Parameter payload: written by the transitions `queue_push` and `retry`, and by a failed attempt.
  package func run(_ payload: RecordPayload, context: JobContext) async throws -> JobEffects {
    let company = context.job.company
    let acting = try await context.database.transaction(.inside(company, readOnly: true)) { tx in
      try ActingContext.system("solar.push", company: company, tx)
    }
    do {
      // In its own transaction, so that the delivery is visible as running, even if the worker dies.
      _ = try await records.transition(
        acting,
        type: "solar.recording",
        id: payload.recordID,
        request: TransitionRequest("begin")
      )
    } catch let error as DomainError where [.wrongState, .notFound].contains(error.code) {
      return .none  // already pushed or deleted, so there is nothing to send
    }
    let parcel = try await context.database.transaction(.inside(company, readOnly: true)) { tx in
      try tx.first(PushParcel.query(company: company, recording: payload.recordID), as: PushParcel.self)
    }
    guard let parcel else { return .none }
    let result = await deliver(parcel, recording: payload.recordID)
    let settlement = PushSettlement(
      result: result,
      attempts: Int(parcel.attempts),
      recording: payload.recordID,
      acting: acting
    )
    return JobEffects { [records] tx in try settlement.write(with: records, tx) }
  }

  private func deliver(_ parcel: PushParcel, recording: UUID) async -> PushResult {
    guard let endpoint = parcel.endpoint else {
      return .undeliverable("the site has no utility account")
    }
    do {
      try Endpoint.require(endpoint)
    } catch {
      return .undeliverable(error.message)
    }
    var authorization: String?
    if let name = parcel.authReference {
      guard let secrets else { return .undeliverable("this worker has no folder of secrets") }
      do {
        authorization = "Bearer \(try secrets.read(name, company: parcel.company, for: endpoint))"
      } catch {
        return .undeliverable(error.message)
      }
    }
    var webhook = Webhook(
      url: endpoint,
      event: "solar.recording",
      delivery: recording.text,
      body: Array(parcel.body.text.utf8),
      keys: []
    )
    webhook.authorization = authorization
    return PushResult(await client.deliver(webhook))
  }
}

/// The content and destination of a delivery.
private struct PushParcel: RowDecodable, Sendable {
  let body: JSON
  let attempts: Int16
  let endpoint: String?
  let authReference: String?
  let company: String

  init(row: inout RowReader) throws(PostgresError) {
    body = try row.next()
    attempts = try row.next()
    endpoint = try row.next()
    authReference = try row.next()
    company = try row.next()
  }

  static func query(company: UUID, recording: UUID) -> SQL {
    """
    select
      jsonb_build_object(
        'recording_id', r.id, 'site_id', r.site_id, 'site', s.name, 'type', r.type, 'quantity', r.quantity,
        'unit', r.unit, 'value', r.value,
        'taken_at', to_char(r.taken_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')),
      r.push_attempts, a.endpoint, a.auth_ref, c.slug
    from solar.recording r
    join core.company c on c.id = r.company_id
    join solar.site s on s.company_id = r.company_id and s.id = r.site_id
    left join solar.utility_account a
      on a.company_id = r.company_id and a.site_id = r.site_id and a.deleted_at is null
    where r.company_id = \(company) and r.id = \(recording) and r.deleted_at is null
    """
  }
}
