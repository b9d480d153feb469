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
      Report.progress(kind.rawValue)
      switch kind {
      case .drain: lines += try await DrainFigures(server: server, plan: plan).measure()
      case .limit: lines += try await LimitFigures(server: server, plan: plan).measure()
      case .enqueue: lines += try await EnqueueFigures(server: server, plan: plan).measure()
      case .pickup: lines += try await PickupFigures(server: server, plan: plan).measure()
      case .backlog: lines += try await DepthFigures(server: server, plan: plan).measure()
      case .companies: lines += try await CompanyFigures(server: server, plan: plan).measure()
      case .fairness: lines += try await FairnessFigures(server: server, plan: plan).measure()
      case .pinned: lines += try await ChurnFigures(server: server, plan: plan).measure()
      }
    }
    return lines
  }
}
