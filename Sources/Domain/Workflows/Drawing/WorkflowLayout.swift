/// The layout of a workflow's diagram, in pixels.
///
/// States are in columns by their distance from the initial state. Arrows run in the gaps between columns,
/// and in lanes above and below them, so that no arrow crosses a state.
struct WorkflowLayout {
  /// The box of a state.
  struct Box {
    let state: WorkflowState
    let column: Int
    var x = 0
    var y = 0
    let width: Int
    let height: Int
  }

  /// An arrow: its points, and the position of its labels.
  struct Line {
    let points: [(x: Int, y: Int)]
    let labels: [String]
    let label: (x: Int, y: Int)
    let isSystem: Bool
  }

  /// An arrow from a state to itself, drawn as a loop on its box.
  struct Loop {
    let x: Int
    let y: Int
    let label: String
    let isSystem: Bool
  }

  private(set) var boxes: [Box] = []
  private(set) var lines: [Line] = []
  private(set) var loops: [Loop] = []
  private(set) var width = 0
  private(set) var height = 0

  private static let lane = 30
  private static let track = 12
  private static let rowGap = 64
  private static let lineHeight = 14

  /// Returns the estimated width of a text in a common sans-serif font, in pixels.
  static func width(of text: String) -> Int {
    text.reduce(0) { $0 + ("iljt.,'|".contains($1) ? 4 : $1.isUppercase || "mw".contains($1) ? 9 : 7) }
  }

  init(_ definition: WorkflowDefinition) {
    let ways = WorkflowDrawing.ways(of: definition)
    let columns = Self.columns(of: definition, ways)
    place(definition, columns, ways)
    draw(ways)
  }

  /// Returns the column of each state: its distance from the initial state. Unreachable states are in the
  /// last column.
  private static func columns(of definition: WorkflowDefinition, _ ways: [WorkflowDrawing.Way]) -> [String:
    Int]
  {
    var columns = [definition.initial: 0]
    var waiting = [definition.initial][...]
    while let name = waiting.popFirst() {
      for way in ways where way.from == name && columns[way.to] == nil {
        columns[way.to] = (columns[name] ?? 0) + 1
        waiting.append(way.to)
      }
    }
    let last = (columns.values.max() ?? 0) + 1
    for state in definition.states where columns[state.name] == nil { columns[state.name] = last }
    return columns
  }

  private mutating func place(
    _ definition: WorkflowDefinition,
    _ columns: [String: Int],
    _ ways: [WorkflowDrawing.Way]
  ) {
    boxes = definition.states.map { state in
      let ends = ways.count { ($0.from == state.name) != ($0.to == state.name) }
      return Box(
        state: state,
        column: columns[state.name] ?? 0,
        // A state's label is bold and larger than the estimate assumes: a fifth wider.
        width: max(84, Self.width(of: state.label) * 6 / 5 + 34),
        height: max(42, 14 + 16 * ends)
      )
    }
    let count = (boxes.map(\.column).max() ?? 0) + 1
    let above = ways.count { isSkip($0) }
    let below = ways.count { isBack($0) }
    let rows = (0..<count).map { column in
      boxes.filter { $0.column == column }.reduce(-Self.rowGap) { $0 + $1.height + Self.rowGap }
    }
    let tallest = rows.max() ?? 0
    let top = 34 + above * Self.lane + 30
    var x = 44
    for column in 0..<count {
      let members = boxes.indices.filter { boxes[$0].column == column }
      let widest = members.map { boxes[$0].width }.max() ?? 0
      var y = top + (tallest - rows[column]) / 2
      for index in members {
        boxes[index].x = x + (widest - boxes[index].width) / 2
        boxes[index].y = y
        y += boxes[index].height + Self.rowGap
      }
      x += widest + gap(after: column, ways)
    }
    let last = boxes.filter { $0.column == count - 1 }.map { $0.x + $0.width }.max() ?? 0
    width = last + 44 + Self.track * (above + below)
    height = top + tallest + below * Self.lane + 34
  }

  /// Returns the width of the gap after a column: room for the labels of arrows to the next column, and a
  /// track for each arrow that turns in the gap.
  private func gap(after column: Int, _ ways: [WorkflowDrawing.Way]) -> Int {
    let straight = ways.filter { box($0.from)?.column == column && box($0.to)?.column == column + 1 }
    let words = straight.flatMap(\.labels).map(Self.width).max() ?? 0
    let turning = ways.count { way in
      guard let from = box(way.from)?.column, let to = box(way.to)?.column, from != to || way.from != way.to
      else { return false }
      return to != from + 1 && (from == column || to == column + 1)
    }
    return max(60, words + 44) + Self.track * turning
  }

  private func box(_ name: String) -> Box? { boxes.first { $0.state.name == name } }

  private func isSkip(_ way: WorkflowDrawing.Way) -> Bool {
    guard let from = box(way.from), let to = box(way.to) else { return false }
    return to.column > from.column + 1
  }

  private func isBack(_ way: WorkflowDrawing.Way) -> Bool {
    guard let from = box(way.from), let to = box(way.to), way.from != way.to else { return false }
    return to.column <= from.column
  }

  private mutating func draw(_ ways: [WorkflowDrawing.Way]) {
    var used: [String: Int] = [:]
    var tracks: [Int: Int] = [:]
    let top = (boxes.map(\.y).min() ?? 0) - 30
    let bottom = boxes.map { $0.y + $0.height }.max() ?? 0
    var above = 0
    var below = 0
    func port(_ box: Box, isLeft: Bool) -> Int {
      let side = "\(box.state.name) \(isLeft)"
      let taken = used[side, default: 0]
      used[side] = taken + 1
      let total = max(
        1,
        ways.count {
          isLeft ? $0.to == box.state.name && $0.from != $0.to : $0.from == box.state.name && $0.from != $0.to
        }
      )
      return box.y + box.height * (taken + 1) / (total + 1)
    }
    func track(_ gap: Int) -> Int {
      tracks[gap, default: 0] += 1
      return (tracks[gap] ?? 1) * Self.track
    }
    func right(of column: Int) -> Int {
      boxes.filter { $0.column == column }.map { $0.x + $0.width }.max() ?? 0
    }
    func left(of column: Int) -> Int { boxes.filter { $0.column == column }.map(\.x).min() ?? 0 }
    let straightFirst =
      ways.filter { isSkip($0) } + ways.filter { !isSkip($0) && !isBack($0) } + ways.filter { isBack($0) }
    for way in straightFirst {
      guard let from = box(way.from), let to = box(way.to) else { continue }
      if way.from == way.to {
        let label = way.labels.joined(separator: ", ")
        loops.append(Loop(x: from.x + from.width / 2, y: from.y, label: label, isSystem: way.isSystem))
        continue
      }
      let start = (x: from.x + from.width, y: port(from, isLeft: false))
      let end = (x: to.x, y: port(to, isLeft: true))
      if isSkip(way) || isBack(way) {
        let isAbove = isSkip(way)
        if isAbove { above += 1 } else { below += 1 }
        let y = isAbove ? top - above * Self.lane + 12 : bottom + below * Self.lane
        let out = right(of: from.column) + track(from.column)
        let into = left(of: to.column) - track(to.column - 1)
        let points = [start, (out, start.y), (out, y), (into, y), (into, end.y), end]
        lines.append(
          Line(
            points: points,
            labels: [way.labels.joined(separator: ", ")],
            label: ((out + into) / 2, y - 5),
            isSystem: way.isSystem
          )
        )
      } else {
        let words = way.labels.map(Self.width).max() ?? 0
        let bend = end.x - words - 30
        let turn = max(start.x + 8, bend)
        lines.append(
          Line(
            points: [start, (turn, start.y), (turn, end.y), end],
            labels: way.labels,
            label: ((turn + end.x - 8) / 2, end.y - 5 - Self.lineHeight * (way.labels.count - 1)),
            isSystem: way.isSystem
          )
        )
      }
    }
  }
}
