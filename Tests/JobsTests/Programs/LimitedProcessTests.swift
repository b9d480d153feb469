import Foundation
import Testing

@testable import Jobs

/// Programs of the system that run on untrusted input.
@Suite(.timeLimit(.minutes(60))) struct LimitedProcessTests {
  private static func run(_ script: String, _ limits: LimitedProcess.Limits) async throws
    -> LimitedProcess.End
  {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    return try await LimitedProcess(
      path: "/bin/sh",
      arguments: ["-c", script],
      folder: folder.path,
      limits: limits
    )
    .run().end
  }

  @Test func `a program that takes all memory dies alone`() async throws {
    var limits = LimitedProcess.Limits()
    limits.memory = 64
    let end = try await Self.run("head -c 500000000 /dev/zero | tail -c 400000000 >/dev/null", limits)
    #expect(end != .exited(0, ""))
  }

  @Test func `a program that computes without end is killed by its processor time`() async throws {
    var limits = LimitedProcess.Limits()
    limits.processor = 1
    let end = try await Self.run("while :; do :; done", limits)
    guard case .killed = end else {
      Issue.record("\(end)")
      return
    }
  }

  @Test func `a program that waits is ended, with the processes that it started`() async throws {
    var limits = LimitedProcess.Limits()
    limits.time = .milliseconds(300)
    #expect(try await Self.run("sleep 1000 & sleep 1000", limits) == .timedOut)
  }

  @Test func `a program that writes a huge file is stopped`() async throws {
    var limits = LimitedProcess.Limits()
    limits.file = 1
    let end = try await Self.run("exec head -c 50000000 /dev/zero > big", limits)
    #expect(end != .exited(0, ""))
  }

  @Test func `a program sees no secret of the worker`() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let process = LimitedProcess(path: "/usr/bin/env", arguments: [], folder: folder.path)
    let (end, output) = try await process.run()
    #expect(end == .exited(0, ""))
    let names = output.split(separator: "\n").compactMap { $0.split(separator: "=").first.map(String.init) }
    let known: Set = [
      "PATH", "LANG", "HOME", "TMPDIR", "VIPS_CONCURRENCY", "VIPS_BLOCK_UNTRUSTED", "FETTLE_RUN", "PWD",
      "SHLVL", "_",
      "OLDPWD",
    ]
    #expect(Set(names).isSubset(of: known), "\(names)")
  }
}
