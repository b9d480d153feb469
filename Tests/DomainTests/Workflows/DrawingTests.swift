import Testing

@testable import Domain

/// The diagrams of a workflow match its definition.
@Suite struct DrawingTests {
  @Test func `mermaid and dot name every state and every way`() throws {
    let definition = try Fixture.entryWorkflow()
    let mermaid = WorkflowDrawing.mermaid(definition)
    #expect(mermaid.hasPrefix("stateDiagram-v2\n"))
    #expect(mermaid.contains("state \"In progress\" as in_progress"))
    #expect(mermaid.contains("[*] --> pending"))
    #expect(mermaid.contains("pending --> in_progress: Start"))
    let dot = WorkflowDrawing.dot(definition)
    #expect(dot.contains("in_progress -> completed [label=\"Complete\"]"))
    #expect(dot.contains("pending -> pending [label=\"Remind\", style=dashed]"))
    #expect(dot.hasSuffix("}\n"))
  }

  @Test func `a label cannot break out of a drawing`() {
    let definition = WorkflowDefinition(
      name: "a.b",
      version: 1,
      initial: "open",
      states: [
        WorkflowState(name: "open", label: "\"]; <b>&:", category: .open),
        WorkflowState(name: "done", category: .done, isFinal: true),
      ],
      transitions: [WorkflowTransition(name: "go", label: "<script>\"", from: ["open"], to: "done")]
    )
    #expect(WorkflowDrawing.mermaid(definition).contains("done --> [*]"))
    #expect(!WorkflowDrawing.dot(definition).contains("\"\"]"))
    #expect(!WorkflowDrawing.mermaid(definition).contains("<b>&:"))
    let svg = WorkflowSVG.picture(definition)
    #expect(!svg.contains("<script>"))
    #expect(svg.contains("&lt;script&gt;"))
  }

  @Test func `no box of the picture overlaps another, and no line leaves it`() throws {
    let layout = WorkflowLayout(try Fixture.entryWorkflow())
    #expect(layout.boxes.count == 3)
    #expect(layout.loops.count == 2)
    for (index, one) in layout.boxes.enumerated() {
      for other in layout.boxes[(index + 1)...] {
        let apart =
          one.x + one.width < other.x || other.x + other.width < one.x || one.y + one.height < other.y
          || other.y + other.height < one.y
        #expect(apart, "\(one.state.name) and \(other.state.name)")
      }
    }
    for line in layout.lines {
      #expect(
        line.points.allSatisfy { (0...layout.width).contains($0.x) && (0...layout.height).contains($0.y) }
      )
    }
  }

  @Test func `disabled transitions are not drawn`() throws {
    let strict = try Fixture.entryWorkflow().tightened(
      by: WorkflowOverlay(
        workflow: "maintenance.entry",
        version: 1,
        transitions: [TightenedTransition(name: "pause", isDisabled: true)],
        labels: [.init(name: "in_progress", label: "In Arbeit")]
      )
    )
    let mermaid = WorkflowDrawing.mermaid(strict)
    #expect(!mermaid.contains("Pause"))
    #expect(mermaid.contains("In Arbeit"))
  }
}
