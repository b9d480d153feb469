internal import ArgumentParser

/// Measures the figures on records.
struct Figures {
  /// A group of figures that can be measured alone.
  enum Kind: String, CaseIterable, ExpressibleByArgument, Sendable {
    case transitions, roundtrips, pinned, bulk
    case imports = "import"
  }

  let server: BenchServer
  let plan: Plan

  func measure() async throws -> [Figure] {
    Report.progress("filling")
    try await server.withConnection { try await Fixture.fill($0) }
    var figures: [Figure] = []
    if plan.kinds.contains(.pinned) { try await server.copy(to: PinnedFigures.free) }
    if plan.kinds.contains(.roundtrips) {
      figures += try await RoundTripFigures(server: server, plan: plan).measure()
    }
    if plan.kinds.contains(.transitions) {
      figures += try await TransitionFigures(server: server, plan: plan).measure()
    }
    if plan.kinds.contains(.bulk) {
      figures += try await BulkFigures(server: server, plan: plan).measure()
    }
    if plan.kinds.contains(.pinned) {
      figures += try await PinnedFigures(server: server, plan: plan).measure()
    }
    if plan.kinds.contains(.imports) {
      figures += try await ImportFigures(server: server, plan: plan).measure()
    }
    return figures
  }
}
