internal import ArgumentParser
internal import Postgres

/// Measures the figures of the queue.
struct JobFigures {
  /// A group of figures that can be measured alone.
  enum Kind: String, CaseIterable, ExpressibleByArgument, Sendable {
    case drain, limit, enqueue, pickup, backlog, companies, fairness, pinned, counts
  }

  let server: BenchServer
  let plan: JobPlan

  /// Measures the chosen groups one after the other; continues after a failed group.
  ///
  /// - Returns: the lines in the order of the table, and the groups that failed.
  func measure() async -> (lines: [JobLine], failed: [Kind]) {
    var lines: [JobLine] = []
    var failed: [Kind] = []
    for kind in Kind.allCases where plan.kinds.contains(kind) {
      Report.progress(kind.rawValue)
      do {
        lines += try await measure(kind)
      } catch {
        Report.progress("\(kind.rawValue) failed: \(error)")
        failed.append(kind)
      }
    }
    return (lines, failed)
  }

  private func measure(_ kind: Kind) async throws -> [JobLine] {
    switch kind {
    case .drain: try await DrainFigures(server: server, plan: plan).measure()
    case .limit: try await LimitFigures(server: server, plan: plan).measure()
    case .enqueue: try await EnqueueFigures(server: server, plan: plan).measure()
    case .pickup: try await PickupFigures(server: server, plan: plan).measure()
    case .backlog: try await DepthFigures(server: server, plan: plan).measure()
    case .companies: try await CompanyFigures(server: server, plan: plan).measure()
    case .fairness: try await FairnessFigures(server: server, plan: plan).measure()
    case .pinned: try await ChurnFigures(server: server, plan: plan).measure()
    case .counts: try await CountFigures(server: server, plan: plan).measure()
    }
  }
}
