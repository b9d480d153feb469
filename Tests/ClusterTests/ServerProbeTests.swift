import Testing

@testable import Cluster

@Suite struct ServerProbeTests {
  private static let authenticated: [UInt8] = [UInt8(ascii: "R"), 0, 0, 0, 8, 0, 0, 0, 0]
  private static let ready: [UInt8] = [UInt8(ascii: "Z"), 0, 0, 0, 5, UInt8(ascii: "I")]

  @Test func `a server is ready when it says so, not before`() {
    #expect(ServerProbe.answer(in: []) == nil)
    #expect(ServerProbe.answer(in: Self.authenticated) == nil)
    #expect(ServerProbe.answer(in: Self.authenticated + Self.ready) == .ready)
    for cut in 0..<(Self.authenticated + Self.ready).count {
      #expect(ServerProbe.answer(in: Array((Self.authenticated + Self.ready)[..<cut])) == nil)
    }
  }

  @Test(arguments: [("57P03", ServerProbe.Answer.busy), ("53300", .ready), ("3D000", .ready)])
  func `a refusal means busy only when the server cannot connect anybody now`(
    state: String,
    answer: ServerProbe.Answer
  ) {
    let body = Array("SFATAL\0VFATAL\0C\(state)\0Mno\0\0".utf8)
    #expect(ServerProbe.answer(in: [UInt8(ascii: "E"), 0, 0, 0, UInt8(body.count + 4)] + body) == answer)
  }

  @Test(arguments: [[UInt8]](arrayLiteral: [82, 0, 0, 0, 0], [82, 255, 255, 255, 255], [69, 0, 0, 0, 3]))
  func `nonsense is not an answer`(bytes: [UInt8]) {
    #expect(ServerProbe.answer(in: bytes) == nil)
  }

  @Test func `a socket that nobody listens on is absent`() {
    #expect(ServerProbe(socket: "/nowhere/.s.PGSQL.5432").ask() == .absent)
  }

  @Test func `the phase is read from the eighth line`() {
    let text = "4711\n/data\n1700000000\n5432\n/run\n\n 12 34\nready   \n"
    #expect(PostmasterFile(text: text)?.pid == 4711)
    #expect(PostmasterFile(text: text)?.phase == .ready)
    #expect(PostmasterFile(text: "4711\n/data\n")?.phase == nil)
    #expect(PostmasterFile(text: "") == nil)
    #expect(PostmasterFile(text: "0\n") == nil)
  }
}
