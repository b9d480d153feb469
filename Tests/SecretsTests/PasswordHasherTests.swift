import Synchronization
import Testing

@testable import Secrets

@Suite struct PasswordHasherTests {
  private let hasher = PasswordHasher(cost: 1, pool: ThreadPool(threads: 2, queueLimit: 64))
  private let password = "correct horse battery staple"

  @Test func `a password verifies against its own hash only`() async throws {
    let hash = try await hasher.hash(password)
    #expect(hash.hasPrefix("$y$"))
    #expect(try await hasher.verify(password, against: hash))
    #expect(try await !hasher.verify(password + "!", against: hash))
    #expect(try await hasher.hash(password) != hash, "each hash has a salt of its own")
  }

  @Test func `a password verifies against a hash of another program and cost`() async throws {
    // Python 3.11, crypt.crypt(password, "$y$j9T$F5Jx5fExrKuPp53xLKQ..1").
    let foreign = "$y$j9T$F5Jx5fExrKuPp53xLKQ..1$y8e1eitiNDaQsFFW6d.9KbSTlk5zV3R3coZQtfcNAO5"
    #expect(try await hasher.verify(password, against: foreign))
  }

  @Test func `an unknown user never verifies`() async throws {
    #expect(try await !hasher.verify(password, against: nil))
    #expect(try await !hasher.verify(password, against: ""))
    #expect(try await !hasher.verify(password, against: "*0"))
    #expect(try await !hasher.verify(password, against: "$1$abc$"))
  }

  @Test(arguments: ["brief", "12345678901", String(repeating: "x", count: 129), "with a NUL \0 inside"])
  func `a password outside the rules is refused and never verifies`(bad: String) async throws {
    let error = await #expect(throws: SecretsError.self) { try await hasher.hash(bad) }
    #expect(error?.kind == .unacceptablePassword)
    #expect(error?.message.contains(bad) == false)
    let good = try await hasher.hash(password)
    #expect(try await !hasher.verify(bad, against: good))
  }

  @Test func `a NUL does not cut a password short`() async throws {
    let hash = try #require(Yescrypt.hash("twelve chars", setting: Yescrypt.setting(cost: 1)))
    #expect(try await !hasher.verify("twelve chars\0and more", against: hash))
  }

  @Test func `length counts characters as a person does`() throws {
    try PasswordHasher.check("åäöéèêçñüßøæ")
    #expect(throws: SecretsError.self) { try PasswordHasher.check("👩🏽‍🔧👩🏽‍🔧👩🏽‍🔧") }
  }

  @Test func `a weaker or foreign hash asks to be replaced`() async throws {
    let weak = try await hasher.hash(password)
    let strong = PasswordHasher(cost: 2, pool: ThreadPool(threads: 1, queueLimit: 4))
    #expect(!hasher.needsRehash(weak))
    #expect(strong.needsRehash(weak))
    #expect(!hasher.needsRehash(try await strong.hash(password)), "a stronger hash stays")
    #expect(hasher.needsRehash("$2b$12$abcdefghijklmnopqrstuv"))
  }

  @Test func `a cost that yescrypt does not have is an error`() async {
    let hasher = PasswordHasher(cost: 0, pool: ThreadPool(threads: 1, queueLimit: 4))
    let error = await #expect(throws: SecretsError.self) { try await hasher.hash(password) }
    #expect(error?.kind == .libraryFailure)
  }
}

@Suite(.timeLimit(.minutes(60))) struct ThreadPoolTests {
  /// Blocks threads of the pool until it is opened.
  private final class Barrier: Sendable {
    let isOpen = Atomic(false)
    let inside = Atomic(0)
    let most = Atomic(0)

    func pass() {
      let now = inside.add(1, ordering: .sequentiallyConsistent).newValue
      most.max(now, ordering: .sequentiallyConsistent)
      while !isOpen.load(ordering: .sequentiallyConsistent) {}
      inside.subtract(1, ordering: .sequentiallyConsistent)
    }
  }

  @Test func `work beyond the threads waits and work beyond the queue is refused`() async throws {
    let pool = ThreadPool(threads: 1, queueLimit: 2)
    let barrier = Barrier()
    let outcomes = await withTaskCancellationHandler {
      await withTaskGroup(of: String.self) { group in
        for _ in 0..<6 {
          group.addTask {
            do throws(SecretsError) {
              try await pool.run { barrier.pass() }
              return "done"
            } catch {
              return error.kind.rawValue
            }
          }
        }
        // Three of six must be refused while the gate is closed; the others may pass afterwards.
        var outcomes: [String] = []
        for await outcome in group {
          outcomes.append(outcome)
          if outcomes.count == 3 { barrier.isOpen.store(true, ordering: .sequentiallyConsistent) }
        }
        return outcomes
      }
    } onCancel: {
      // The time limit: a pool that never refuses would hang the test.
      barrier.isOpen.store(true, ordering: .sequentiallyConsistent)
    }
    #expect(outcomes == ["busy", "busy", "busy", "done", "done", "done"])
    #expect(barrier.most.load(ordering: .sequentiallyConsistent) == 1)
  }

  @Test func `a pool that was idle works again`() async throws {
    let pool = ThreadPool(threads: 2, queueLimit: 0)
    for number in 0..<50 {
      // Without a queue, a thread that has finished may still be ending: only busy may be thrown then.
      while true {
        do throws(SecretsError) {
          let double = try await pool.run { number * 2 }
          #expect(double == number * 2)
          break
        } catch {
          #expect(error.kind == .busy)
        }
      }
    }
  }
}
