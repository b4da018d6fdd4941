extension SSEParser.Options {
    /// What the services of model providers need: a last event without a blank line counts, and `[DONE]` ends the stream.
    public static var modelTokens: Self {
        var options = Self()
        options.deliversUnfinishedEvent = true
        options.endMarker = "[DONE]"
        return options
    }
}
