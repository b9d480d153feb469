import FoundationEssentials
import Secrets
import Testing

@Suite struct UUIDVersion5Tests {
  /// RFC 9562, appendix A.4: www.example.com in the namespace of domain names.
  @Test func `the example of the RFC`() throws {
    let names = try #require(UUID(uuidString: "6ba7b810-9dad-11d1-80b4-00c04fd430c8"))
    let id = UUID.version5(namespace: names, name: "www.example.com")
    #expect(id.uuidString.lowercased() == "2ed6657d-e927-568b-95e1-2665a8aea6a2")
  }

  @Test func `another name is another id`() {
    let namespace = UUID()
    #expect(UUID.version5(namespace: namespace, name: "a") != UUID.version5(namespace: namespace, name: "b"))
    #expect(UUID.version5(namespace: namespace, name: "a") == UUID.version5(namespace: namespace, name: "a"))
  }
}
