internal import ArgumentParser
internal import Postgres

/// All figures of the queue, in the order of the table.
struct JobFigures {
  /// A group of figures that can be asked for alone.
  enum Kind: String, CaseIterable, ExpressibleByArgument, Sendable {
    case drain, limit, enqueue, pickup, backlog, companies, fairness, pinned
  }

  let server: BenchServer
  let plan: JobPlan

  func measure() async throws -> [JobLine] {
    var lines: [JobLine] = []
    for kind in Kind.allCases where plan.kinds.contains(kind) {
      Report.progress("\(kind.rawValue)")
      switch kind {
      case .drain: lines += try await DrainFigures(server: server, plan: plan).measure()
      case .limit: lines += []
      case .enqueue: lines += []
      case .pickup: lines += []
      case .backlog: lines += []
      case .companies: lines += []
      case .fairness: lines += []
      case .pinned: lines += []
      }
    }
    return lines
  }
}
