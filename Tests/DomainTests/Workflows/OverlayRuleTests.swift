import Testing

@testable import Domain

/// An overlay applied to a definition: never less strict than before.
@Suite struct OverlayRuleTests {
  private static func definition() throws -> WorkflowDefinition {
    WorkflowDefinition(
      name: "a.b",
      version: 1,
      initial: "open",
      states: [
        WorkflowState(
          name: "open",
          category: .open,
          timers: [
            TimerDefinition(
              delay: try Delay(parsing: "PT48H"),
              fire: "nudge",
              every: try Delay(parsing: "PT24H"),
              limit: 3
            )
          ]
        ),
        WorkflowState(name: "done", category: .done, isFinal: true),
      ],
      transitions: [
        WorkflowTransition(
          name: "finish",
          from: ["open"],
          to: "done",
          permission: Permission(trusted: "a.b.finish"),
          require: Requirements(fields: ["note"], commentMinimum: 5),
          guards: [.init(path: "$.x", message: "own")]
        ),
        WorkflowTransition(name: "nudge", from: ["open"], to: "open", by: .system),
      ]
    )
  }

  private static func overlay(_ finish: TightenedTransition? = nil, timer: TightenedTimer? = nil)
    -> WorkflowOverlay
  {
    WorkflowOverlay(
      workflow: "a.b",
      version: 1,
      transitions: finish.map { [$0] } ?? [],
      states: timer.map { [TightenedState(name: "open", timers: [$0])] } ?? []
    )
  }

  @Test func `its requirements are added to the existing ones`() throws {
    let overlay = Self.overlay(
      TightenedTransition(
        name: "finish",
        guards: [.init(path: "$.y", message: "more")],
        require: Requirements(fields: ["note", "title"], commentMinimum: 9)
      )
    )
    let finish = try #require(try Self.definition().tightened(by: overlay).transition("finish"))
    #expect(finish.guards.map(\.message) == ["own", "more"])
    #expect(finish.require == Requirements(fields: ["note", "title"], commentMinimum: 9))
    #expect(finish.permission == Permission(trusted: "a.b.finish"))
  }

  @Test func `omitted parts stay, and even an unchecked overlay loosens nothing`() throws {
    let silent = Self.overlay(TightenedTransition(name: "finish", isDisabled: true))
    let finish = try #require(try Self.definition().tightened(by: silent).transition("finish"))
    #expect(finish.guards.map(\.message) == ["own"])
    #expect(finish.require == Requirements(fields: ["note"], commentMinimum: 5))
    #expect(finish.isDisabled)
    let shorter = Self.overlay(
      TightenedTransition(name: "finish", require: Requirements(commentMinimum: 2), isDisabled: false)
    )
    let kept = try #require(try Self.definition().tightened(by: shorter).transition("finish"))
    #expect(kept.require.commentMinimum == 5)
    #expect(
      try shorter.validate(against: Self.definition()).map(\.code) == [
        .overlayEnables, .overlayShorterComment,
      ]
    )
  }

  @Test(arguments: [(48, 24, true), (1, 1, true), (49, 24, false), (48, 25, false), (1, 25, false)])
  func `a timer may come sooner and oftener, and neither later nor more rarely`(
    _ delay: Int,
    _ interval: Int,
    _ isSound: Bool
  ) throws {
    let timer = TightenedTimer(
      fire: "nudge",
      delay: try Delay(parsing: "PT\(delay)H"),
      every: try Delay(parsing: "PT\(interval)H")
    )
    let found = try Self.overlay(timer: timer).validate(against: Self.definition()).map(\.code)
    #expect(found.isEmpty == isSound)
    #expect(found.allSatisfy { $0 == .overlayLongerTimer })
  }
}
