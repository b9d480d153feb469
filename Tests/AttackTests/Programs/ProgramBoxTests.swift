import EngineFixtures
import FoundationEssentials
import Glibc
import Testing

@testable import Jobs

/// Programs that read uploaded files, and try to leave their box.
@Suite(.timeLimit(.minutes(60))) struct ProgramBoxTests {
  /// Runs a script of Perl, which Debian always has, in the box.
  private static func perl(_ script: String) async throws -> String {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let process = LimitedProcess(path: "/usr/bin/perl", arguments: ["-e", script], folder: folder.path)
    let (end, output) = try await process.run()
    #expect(end == .exited(0, ""), "\(end)")
    return output
  }

  #if arch(x86_64)
    private static let calls = (ptrace: 101, unshare: 272)
  #else
    private static let calls = (ptrace: 117, unshare: 97)
  #endif

  @Test(arguments: [
    "socket(S, PF_INET, SOCK_STREAM, 0)", "socket(S, PF_INET6, SOCK_DGRAM, 0)",
    "socket(S, PF_UNIX, SOCK_STREAM, 0)",
    "socketpair(A, B, AF_UNIX, SOCK_STREAM, PF_UNSPEC)",
  ])
  func `a boxed program has no network and no socket of this machine`(_ call: String) async throws {
    let output = try await Self.perl("use Socket; print \(call) ? 'made' : $!{EPERM} ? 'refused' : $!")
    #expect(output == "refused")
  }

  @Test func `a boxed program reaches no other process`() async throws {
    let parent = getpid()
    let output = try await Self.perl(
      """
      print kill(0, \(parent)) ? 'seen' : 'refused', ' ';
      print syscall(\(Self.calls.ptrace), 16, \(parent), 0, 0) == -1 ? 'refused' : 'attached', ' ';
      print open(F, '<', '/proc/\(parent)/environ') && read(F, my $x, 1) ? 'read' : 'refused';
      """
    )
    #expect(output == "refused refused refused")
  }

  @Test func `a boxed program makes no namespace`() async throws {
    // CLONE_NEWUSER
    let output = try await Self.perl(
      "print syscall(\(Self.calls.unshare), 0x10000000) == -1 ? 'refused' : 'made'"
    )
    #expect(output == "refused")
  }

  @Test func `a boxed program reads and writes its folder and no other`() async throws {
    guard try #require(await ProgramBox.find()).hidesFiles else { return }
    let secret = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).secret").path
    try "secret".write(toFile: secret, atomically: false, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: secret) }
    let output = try await Self.perl(
      """
      print open(F, '<', '\(secret)') ? 'read' : 'refused', ' ';
      print open(F, '>', '\(secret)') ? 'written' : 'refused', ' ';
      print open(F, '>', 'own') && print(F 'x') && close(F) && -s 'own' ? 'own' : 'no folder', ' ';
      print opendir(D, '/proc') ? 'listed' : 'refused';
      """
    )
    #expect(output == "refused refused own refused")
  }
}
