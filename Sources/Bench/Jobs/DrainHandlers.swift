internal import FoundationEssentials
internal import Jobs

/// Counts the call and reads the payload.
struct CountingHandler: JobHandler {
  struct Payload: Codable, Sendable {
    let n: Int
  }

  let kind: String
  let counter: CallCounter

  func run(_ payload: Payload, context: JobContext) async throws -> JobEffects {
    counter.note(payload.n)
    return .none
  }
}

/// Always fails, which produces retrying and dead jobs.
struct FailingHandler: JobHandler {
  static let name = "bench.broken"

  struct Failure: Error, CustomStringConvertible {
    let description = "it always fails"
  }

  let kind = Self.name

  func run(_ payload: CountingHandler.Payload, context: JobContext) async throws -> JobEffects {
    throw Failure()
  }
}

/// Runs until the measurement is over, which produces running jobs.
struct HangingHandler: JobHandler {
  static let name = "bench.hung"

  let kind = Self.name
  let counter: CallCounter

  func run(_ payload: CountingHandler.Payload, context: JobContext) async throws -> JobEffects {
    while !counter.isOver { try await Task.sleep(for: .milliseconds(100)) }
    return .none
  }
}
