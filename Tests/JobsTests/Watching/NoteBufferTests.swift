import Store
import Testing

@testable import Jobs

@Suite struct NoteBufferTests {
  private let start = ContinuousClock.now

  @Test func `only the last progress is written, in its place among the notes`() {
    var notes = NoteBuffer()
    #expect(notes.isEmpty && !notes.isDue(start))
    notes.note("first", at: start)
    notes.progress(0.1, "a tenth", at: start)
    notes.progress(0.2, "a fifth", at: start + .milliseconds(10))
    notes.note("second", at: start + .milliseconds(20))
    #expect(notes.isDue(start + .milliseconds(20)))
    let written = notes.take(start + .milliseconds(50))
    #expect(written.map(\.text) == ["first", "a fifth", "second"])
    #expect(written.map(\.done) == [nil, 0.2, nil])
    #expect(written.map(\.age) == [.milliseconds(50), .milliseconds(40), .milliseconds(30)])
    #expect(notes.isEmpty)
  }

  @Test func `notes are written once a second at most`() {
    var notes = NoteBuffer()
    notes.progress(0.1, nil, at: start)
    _ = notes.take(start)
    notes.progress(0.2, nil, at: start)
    #expect(!notes.isDue(start + .milliseconds(900)))
    #expect(notes.isDue(start + .seconds(1)))
  }

  @Test func `notes beyond the limits are counted and reported`() {
    var notes = NoteBuffer()
    for number in 0..<250 { notes.note("\(number)", at: start) }
    let written = notes.take(start)
    #expect(written.count == 101 && written.last?.text == "(150 more notes were dropped)")
    for _ in 0..<20 {
      for number in 0..<100 { notes.note("\(number)", at: start) }
      _ = notes.take(start)
    }
    notes.note("one more", at: start)
    #expect(notes.take(start).map(\.text) == ["(1 more notes were dropped)"])
  }

  @Test func `progress is from 0 to 1, and text is what the database takes`() {
    var notes = NoteBuffer()
    notes.progress(.nan, nil, at: start)
    notes.note("", at: start)
    notes.note("\0", at: start)
    #expect(notes.isEmpty)
    notes.progress(7, String(repeating: "å", count: 5_000), at: start)
    notes.note("a\0b", at: start + .milliseconds(1))
    let written = notes.take(start)
    #expect(written[0].done == 1 && written[0].text?.unicodeScalars.count == 4_000)
    #expect(written[1].text == "ab")
  }
}
