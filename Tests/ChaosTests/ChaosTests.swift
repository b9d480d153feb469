import EndToEndFixtures
import Foundation
import Testing

/// The queue under faults; `deploy/chaos --rounds 1000` runs longer.
@Suite(.serialized, .timeLimit(.minutes(60))) struct ChaosTests {
  @Test func `random faults of workers for 30 rounds violate no guarantee`() async throws {
    let outcome = try await run("run", "--rounds", "30", "--jobs", "16")
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    #expect(outcome.output.contains("violated guarantees"), "\(outcome.output)\(outcome.errors)")
  }

  @Test func `killing PostgreSQL with all its processes violates no guarantee`() async throws {
    let outcome = try await run("run", "--rounds", "3", "--jobs", "16", "--kill-server-every", "1")
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
  }

  @Test func `behind the gate a reader misses nothing and waits for nobody, with other cursors it does`()
    async throws
  {
    let outcome = try await run("race", "--changes", "4000", "--others", "1000")
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    #expect(outcome.output.contains("compound"), "\(outcome.output)\(outcome.errors)")
  }

  /// Runs the command beside this test bundle until it exits.
  private func run(_ arguments: String...) async throws -> FettleProcess.Outcome {
    let program = FettleProcess.executable.deletingLastPathComponent().appending(path: "fettle-chaos")
    return try await FettleProcess.run(program, arguments, ProcessInfo.processInfo.environment)
  }
}
