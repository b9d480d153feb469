internal import Domain
internal import Engine
internal import FoundationEssentials
package import Jobs
internal import Postgres
package import Secrets
internal import Store
package import Webhooks

/// `solar.poll`: fetches the current sample of a polled site, and enqueues the next job. Each site has one
/// chain of jobs, which ends when the site is no longer polled.
package struct PollHandler: JobHandler {
  package let kind = "solar.poll"
  /// Four: a utility's server that hangs must not occupy a worker.
  package var maxRunningPerCompany: Int? { 4 }
  /// True: nearly all of its time is the receiver's.
  package var waitsOutside: Bool { true }
  private let client: WebhookClient
  private let secrets: SecretFolder?

  /// - Parameter secrets: the folder of the secrets that sites refer to; nil for none.
  package init(client: WebhookClient, secrets: SecretFolder?) {
    self.client = client
    self.secrets = secrets
  }

  /// - Parameter payload: written by the hooks of a site and by the previous job.
  package func run(_ payload: RecordPayload, context: JobContext) async throws -> JobEffects {
    let company = context.job.company
    let site = payload.recordID
    let found = try await context.database.transaction(.inside(company, readOnly: true)) { tx in
      try tx.first(PolledSite.query(company: company, site: site), as: PolledSite.self).map { polled in
        let now = polled.now
        let offsets = try ZoneOffsets.read(polled.zone, from: now, days: 4, tx)
        return (polled, SiteClock(zone: polled.zone, offsets: offsets))
      }
    }
    guard let (polled, clock) = found, polled.isPolled else { return .none }
    let answer = await ask(polled, clock)
    let chain = PollChain(
      job: context.job.id,
      next: UUIDv7Generator.shared.next(),
      company: company,
      site: site,
      seconds: Int(polled.pollSeconds)
    )
    return JobEffects { tx in
      var failure: String?
      switch answer {
      case .success(let sample):
        do {
          try PollChain.store(sample, company: company, site: site, tx)
        } catch let error as DomainError {
          failure = error.message
        }
      case .failure(let error): failure = error.message
      }
      try chain.goOn(failure: failure, tx)
    }
  }

  private func ask(_ site: PolledSite, _ clock: SiteClock) async -> Result<SolarSample, DomainError> {
    guard site.isActive else { return .failure(DomainError(.companySuspended)) }
    do {
      let source = try site.config.decoded(as: PollSource.self)
      let secret = try source.authReference.map { name in
        guard let secrets else { throw SecretsError(.secretMissing, "this worker has no folder of secrets") }
        return try secrets.read(name, company: site.company, for: source.url)
      }
      let outcome = await client.fetch(source.url, authorization: secret.map { "Bearer \($0)" })
      guard case .delivered = outcome.verdict else {
        return .failure(DomainError(.unavailable, outcome.reason ?? "no answer"))
      }
      return .success(try PollAnswer(source, clock: clock).sample(outcome.body, receivedAt: site.now))
    } catch let error as DomainError {
      return .failure(error)
    } catch let error as SecretsError {
      return .failure(DomainError(.unavailable, error.message))
    } catch {
      return .failure(DomainError(.invalidDocument, "\(error)"))
    }
  }
}

/// The columns of a site that polling needs.
private struct PolledSite: RowDecodable, Sendable {
  let isPolled: Bool
  /// True if the company is active. A suspended company is not polled; its chain of jobs goes on, so that
  /// polling resumes with the company.
  let isActive: Bool
  let config: JSON
  let pollSeconds: Int32
  let company: String
  let zone: String
  let now: Instant

  init(row: inout RowReader) throws(PostgresError) {
    isPolled = try row.next()
    isActive = try row.next()
    config = try row.next()
    pollSeconds = try row.next()
    company = try row.next()
    zone = try row.next()
    let moment: Instant = try row.next()
    now = moment
  }

  static func query(company: UUID, site: UUID) -> SQL {
    """
    select s.source_kind = 'poll' and s.deleted_at is null, c.status = 'active',
      s.source_config, s.poll_seconds, c.slug, s.timezone, now()
    from solar.site s
    join core.company c on c.id = s.company_id
    where s.company_id = \(company) and s.id = \(site)
    """
  }
}
