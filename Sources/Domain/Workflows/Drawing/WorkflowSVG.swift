/// Draws workflows as SVG.
package enum WorkflowSVG {
  /// Returns a drawing of a workflow.
  ///
  /// States are boxes in their colours. A dot leads to the initial state, states in which work ends have a
  /// double border, and system transitions are dashed arrows.
  package static func picture(_ definition: WorkflowDefinition) -> String {
    let layout = WorkflowLayout(definition)
    var parts = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(layout.width) \(layout.height)" width="\(layout.width)" \
      height="\(layout.height)" font-family="Helvetica, Arial, sans-serif" font-size="13" role="img">
      <title>\(escaped("\(definition.name), version \(definition.version)"))</title>
      <defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">
      <path d="M0,0 L8,4 L0,8 z" fill="#455a64"/></marker></defs>
      <rect width="100%" height="100%" fill="#ffffff"/>
      """
    ]
    parts += layout.lines.map(drawn) + layout.loops.map(drawn)
    if let first = layout.boxes.first(where: { $0.state.name == definition.initial }) {
      let y = first.y + 10
      parts.append("<circle cx=\"16\" cy=\"\(y)\" r=\"5\" fill=\"#455a64\"/>")
      parts.append(path("M21,\(y) H\(first.x - 1)", isSystem: false))
    }
    parts += layout.boxes.map(drawn)
    return parts.joined(separator: "\n") + "\n</svg>\n"
  }

  private static func drawn(_ box: WorkflowLayout.Box) -> String {
    let color = box.state.color
    func frame(_ inset: Int, _ fill: String) -> String {
      """
      <rect x="\(box.x + inset)" y="\(box.y + inset)" width="\(box.width - 2 * inset)" \
      height="\(box.height - 2 * inset)" rx="\(9 - inset)" fill="\(fill)" stroke="\(color.deep)" stroke-width="1.5"/>
      """
    }
    let border = box.state.isEnd ? frame(4, "none") : ""
    let text = """
      <text x="\(box.x + box.width / 2)" y="\(box.y + box.height / 2 + 5)" text-anchor="middle" \
      font-weight="bold">\(escaped(box.state.label))</text>
      """
    return frame(0, color.pale) + border + text
  }

  private static func drawn(_ line: WorkflowLayout.Line) -> String {
    let words = line.labels.enumerated().map { index, label in
      text(label, line.label.x, line.label.y + 14 * index)
    }
    return path(rounded(line.points), isSystem: line.isSystem) + words.joined()
  }

  private static func drawn(_ loop: WorkflowLayout.Loop) -> String {
    let (x, y) = (loop.x, loop.y)
    let arc = "M\(x - 14),\(y) C\(x - 22),\(y - 26) \(x + 22),\(y - 26) \(x + 14),\(y - 1)"
    return path(arc, isSystem: loop.isSystem) + text(loop.label, x, y - 24)
  }

  /// Returns a path through points, with rounded corners where there is room.
  private static func rounded(_ points: [(x: Int, y: Int)]) -> String {
    guard let first = points.first, let last = points.last else { return "" }
    var result = "M\(first.x),\(first.y)"
    for index in points.indices.dropFirst().dropLast() {
      let (before, corner, after) = (points[index - 1], points[index], points[index + 1])
      let radius = min(6, distance(before, corner) / 2, distance(corner, after) / 2)
      let into = toward(corner, before, radius)
      let out = toward(corner, after, radius)
      result += " L\(into.x),\(into.y) Q\(corner.x),\(corner.y) \(out.x),\(out.y)"
    }
    return result + " L\(last.x - 1),\(last.y)"
  }

  private static func distance(_ one: (x: Int, y: Int), _ other: (x: Int, y: Int)) -> Int {
    abs(one.x - other.x) + abs(one.y - other.y)
  }

  private static func toward(_ from: (x: Int, y: Int), _ to: (x: Int, y: Int), _ length: Int) -> (
    x: Int, y: Int
  ) {
    (from.x + (to.x - from.x).signum() * length, from.y + (to.y - from.y).signum() * length)
  }

  private static func path(_ data: String, isSystem: Bool) -> String {
    let dash = isSystem ? " stroke-dasharray=\"5 3\"" : ""
    return
      "<path d=\"\(data)\" fill=\"none\" stroke=\"#455a64\" stroke-width=\"1.3\" marker-end=\"url(#tip)\"\(dash)/>"
  }

  private static func text(_ words: String, _ x: Int, _ y: Int) -> String {
    """
    <text x="\(x)" y="\(y)" text-anchor="middle" font-size="12" fill="#263238" stroke="#ffffff" stroke-width="3" \
    paint-order="stroke">\(escaped(words))</text>
    """
  }

  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      default: result.append(character)
      }
    }
  }
}
