import Testing

@testable import Cluster

@Suite struct EmbeddedClusterTests {
  @Test func `a shared throw-away cluster answers`() async throws {
    let clock = ContinuousClock()
    var cluster: EmbeddedCluster?
    print("first", try await clock.measure { cluster = try await EphemeralCluster.shared() })
    print("second", try await clock.measure { try await cluster?.start() })
    print("stop", try await clock.measure { try await cluster?.stop() })
    print("cold", try await clock.measure { try await cluster?.start() })
    print(cluster?.connectionParameters() as Any, cluster?.serverID as Any)
  }
}
