internal import Domain
internal import FoundationEssentials
internal import Glibc
internal import Jobs
internal import Postgres
internal import Secrets
internal import Store

/// Runs the jobs with one behaviour.
struct ChaosHandler: JobHandler {
  struct Payload: Codable, Sendable {
    let pause: Int
    let failures: Int
  }

  let deed: JobBehaviour
  let log: OutsideLog

  var kind: String { deed.kind }

  var timeout: Duration? { deed == .hang || deed == .deaf ? .milliseconds(500) : nil }

  func run(_ payload: Payload, context: JobContext) async throws -> JobEffects {
    let job = context.job
    log.begin(job.id, attempt: job.attempt)
    if payload.pause > 0 { try await Task.sleep(for: .milliseconds(payload.pause)) }
    switch deed {
    case .effect: return Self.row(job)
    case .chain: return chain(payload, job)
    case .outside:
      log.act(job.id, key: context.idempotencyKey)
      return .none
    case .flaky:
      guard job.attempt > payload.failures else {
        throw JobFailure.temporary("not yet", after: .milliseconds(20))
      }
      return Self.row(job)
    case .broken: throw JobFailure.permanent("fails permanently")
    case .hang:
      if job.attempt == 1 { try await Task.sleep(for: .seconds(3_600)) }
      return Self.row(job)
    case .deaf:
      // An unstructured task, because cancellation must not end it.
      if job.attempt == 1 { await Task.detached { try? await Task.sleep(for: .seconds(30)) }.value }
      return Self.row(job)
    case .crash:
      if job.attempt.isMultiple(of: 2) { abort() }
      kill(getpid(), SIGKILL)
      return .none
    }
  }

  /// Returns an effect that adds a row and then waits up to 50 ms, so that kills hit open transactions.
  private static func row(_ job: ClaimedJob, child: UUID? = nil) -> JobEffects {
    JobEffects { tx in
      try tx.execute("insert into chaos.effect (job_id, child) values (\(job.id), \(nullable: child))")
      _ = try tx.value(
        "select pg_sleep(\(Double(job.id.uuid.15) / 255 * 0.05))::text",
        as: String.self
      )
    }
  }

  private func chain(_ payload: Payload, _ job: ClaimedJob) -> JobEffects {
    let child = NewJob(
      id: UUIDv7Generator.shared.next(),
      kind: JobBehaviour.effect.kind,
      maxAttempts: 1_000,
      payload: JSON(["pause": .integer(payload.pause), "failures": .integer(0)] as JSONObject)
    )
    return Self.row(job, child: child.id).and(.enqueue([child], after: job))
  }
}
