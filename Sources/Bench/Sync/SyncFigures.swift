internal import ArgumentParser

/// Measures the figures of synchronisation.
struct SyncFigures {
  /// A group of figures that can be measured alone.
  enum Kind: String, CaseIterable, ExpressibleByArgument, Sendable {
    case push, single, first, changed, unchanged, streams, missed
  }

  let server: BenchServer
  let plan: SyncPlan

  /// Measures the chosen groups one after the other; continues after a failed group.
  ///
  /// - Returns: the lines in the order of the table, and the groups that failed.
  func measure() async throws -> (lines: [SyncLine], failed: [Kind]) {
    try await WebServer.with(server, token: "") { web in
      let world = try await SyncWorld.open(server, web, plan)
      guard let python = plan.peers else { return await measure(world, nil) }
      return try await KintoServer.with(server, python: python) { await measure(world, $0) }
    }
  }

  private func measure(_ world: SyncWorld, _ kinto: KintoServer?) async -> (lines: [SyncLine], failed: [Kind])
  {
    var lines: [SyncLine] = []
    var failed: [Kind] = []
    for kind in Kind.allCases where plan.kinds.contains(kind) {
      Report.progress(kind.rawValue)
      do {
        lines += try await measure(kind, world, kinto)
      } catch {
        Report.progress("\(kind.rawValue) failed: \(error)")
        failed.append(kind)
      }
    }
    if lines.contains(where: { $0.remark == SyncLine.failed }) { failed.append(.push) }
    if lines.contains(where: { $0.unit == MissedFigures.unit && $0.isMet == false }) {
      failed.append(.missed)
    }
    return (lines, failed)
  }

  private func measure(_ kind: Kind, _ world: SyncWorld, _ kinto: KintoServer?) async throws -> [SyncLine] {
    switch kind {
    case .push: try await PushFigures(world: world, kinto: kinto).measure()
    case .single: try await SingleFigures(world: world, kinto: kinto).measure()
    case .first: try await FirstPullFigures(world: world, kinto: kinto).measure()
    case .changed: try await ChangedFigures(world: world, kinto: kinto).measure()
    case .unchanged: try await UnchangedFigures(world: world, kinto: kinto).measure()
    case .streams: try await StreamFigures(world: world).measure()
    case .missed: try await MissedFigures(world: world, kinto: kinto).measure()
    }
  }
}
