/// The style of a page.
package enum HTMLStyle {
    package static let text = #"""

        :root {
          --page: #f6f7f9; --paper: #ffffff; --ink: #16191d; --soft: #5c6570; --faint: #626c78; --line: #dfe3e8;
          --grid: #e8ebef; --hover: #f0f4fb; --hit: #fff4d6; --accent: #2f5fd0; --accent-soft: #e3ebfc;
          --red: #c2303a; --red-soft: #fdecec; --amber: #94600a; --amber-soft: #fdf3dc; --green: #1c7c4a; --green-soft: #e4f5ec;
          --queueing: #aeb6c0; --dns: #12908e; --connect: #e0821e; --tls: #a54fd0; --request: #59636f; --waiting: #49b27d;
          --download: #3574d8; --cache: #8ea3bd; --other: #aeb6c0; --crit: #d6336c;
          --mono: ui-monospace, SFMono-Regular, Menlo, "DejaVu Sans Mono", Consolas, monospace;
        }
        @media screen and (prefers-color-scheme: dark) {
          :root {
            --page: #101215; --paper: #181b20; --ink: #e6e9ed; --soft: #a2abb6; --faint: #929ca8; --line: #2b3038;
            --grid: #23282f; --hover: #20262f; --hit: #3a3113; --accent: #84a9ff; --accent-soft: #222f4d;
            --red: #ff8a8f; --red-soft: #3a1d20; --amber: #eebc62; --amber-soft: #38290f; --green: #6fd3a0; --green-soft: #15301f;
            --queueing: #5e6772; --dns: #2fb8b2; --connect: #eb9a45; --tls: #bf7ae6; --request: #8d98a5; --waiting: #45a875;
            --download: #568ff0; --cache: #5f7590; --other: #5e6772; --crit: #ff6b9d;
          }
        }
        * { box-sizing: border-box; }
        [hidden] { display: none !important; }
        html { -webkit-text-size-adjust: 100%; scroll-padding-top: 110px; }
        body { margin: 0; background: var(--page); color: var(--ink); overflow-wrap: anywhere;
          font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif; }
        h1 { font-size: 26px; line-height: 1.2; margin: 2px 0 14px; letter-spacing: -.01em; }
        h2 { font-size: 12px; text-transform: uppercase; letter-spacing: .07em; color: var(--soft); margin: 0 0 10px; }
        code { font: 12px var(--mono); }
        button, select, input { font: inherit; color: inherit; }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
        i { font-style: normal; color: var(--faint); }
        .jump { display: none; color: var(--accent); font-size: 13px; text-decoration: none; white-space: nowrap; }
        .count { color: var(--faint); font-weight: 500; }
        .masthead, .unit, .foot { max-width: 1680px; margin: 0 auto; padding: 0 24px; }
        .masthead { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 18px; padding-top: 16px; padding-bottom: 12px; }
        .masthead p { margin: 0; }
        .brand { display: flex; align-items: center; gap: 7px; font-weight: 650; letter-spacing: -.01em; }
        .brand svg { width: 20px; height: 20px; fill: none; stroke: var(--accent); stroke-width: 3; stroke-linecap: round; }
        .origin { color: var(--soft); flex: 1 1 auto; }
        .badge { border: 1px solid var(--line); border-radius: 99px; padding: 1px 9px; font-size: 12px; background: var(--paper); }
        .pick { max-width: 100%; color: var(--soft); }
        .pick select { max-width: min(420px, 80vw); }
        select, input, .tools button, .state button { background: var(--paper); border: 1px solid var(--line);
          border-radius: 7px; height: 30px; padding: 0 9px; }
        .tools button, .state button, .pin { cursor: pointer; }
        .tools button:hover, .state button:hover { background: var(--hover); }
        button[aria-pressed=true] { background: var(--accent-soft); border-color: var(--accent); color: var(--accent); }
        section, .chart { background: var(--paper); border: 1px solid var(--line); border-radius: 12px; padding: 16px; }
        section { margin-bottom: 14px; }

        .tiles { display: flex; flex-wrap: wrap; gap: 1px; margin: 0 0 16px; background: var(--line); border: 1px solid var(--line);
          border-radius: 12px; overflow: hidden; }
        .tiles div { background: var(--paper); padding: 11px 18px 10px; flex: 1 1 auto; display: flex; flex-direction: column; }
        .tiles dd { margin: 0; font-size: 23px; font-weight: 620; letter-spacing: -.02em; font-variant-numeric: tabular-nums; white-space: nowrap; }
        .tiles small { font-size: 13px; font-weight: 500; color: var(--soft); margin-left: 3px; letter-spacing: 0; }
        .tiles dt { color: var(--soft); font-size: 12px; white-space: nowrap; }
        .tiles .bad dd { color: var(--red); }
        .budget.holds { background: var(--green-soft); color: var(--green); border-radius: 9px; padding: 9px 14px; margin: 0 0 14px; font-weight: 600; }
        .budget.over { background: var(--red-soft); border-color: var(--red); }
        .budget.over h2 { color: var(--red); }
        .budget ul { margin: 0; padding: 0; list-style: none; }

        .panes { display: grid; grid-template-columns: minmax(0, 1fr) 372px; gap: 16px; align-items: start; }
        .side { grid-column: 2; grid-row: 1; position: sticky; top: 12px; max-height: calc(100vh - 24px); overflow: auto;
          scrollbar-width: thin; border-radius: 12px; }
        .side section:last-child { margin-bottom: 0; }
        .chart { grid-column: 1; grid-row: 1; min-width: 0; padding: 12px 14px; }
        .gauge { display: grid; grid-template-columns: 104px 1fr 66px; align-items: center; gap: 10px; margin: 6px 0; }
        .gauge span { color: var(--soft); font-size: 13px; }
        .gauge svg { width: 100%; height: 12px; display: block; }
        .gauge b { font-variant-numeric: tabular-nums; text-align: right; font-weight: 620; white-space: nowrap; }
        .gauge .all { fill: var(--grid); }
        .gauge .part { fill: var(--faint); }
        .gauge.is .part { fill: var(--waiting); }
        .gain { margin: 9px 0 0; }
        .gain b { color: var(--green); }
        .fine { color: var(--faint); font-size: 12px; margin: 6px 0 0; }
        .findings ol, .slow ol { list-style: none; margin: 0; padding: 0; }
        .finding { padding: 12px 0; border-top: 1px solid var(--line); }
        .finding:first-child { border-top: 0; padding-top: 0; }
        .finding:last-child { padding-bottom: 0; }
        .pin { display: block; width: 100%; text-align: left; background: none; border: 1px solid transparent; border-radius: 8px;
          padding: 6px 8px; margin: 0 -9px; width: calc(100% + 18px); }
        .pin:hover { background: var(--hover); }
        .pin[aria-pressed=true] { color: inherit; background: var(--hit); border-color: var(--connect); }
        .tags { display: flex; gap: 8px; align-items: center; margin-bottom: 3px; }
        .tags code { color: var(--soft); }
        .sev { font-size: 11px; font-weight: 650; padding: 1px 8px; border-radius: 99px; background: var(--grid); color: var(--soft); }
        .critical .sev { background: var(--red-soft); color: var(--red); }
        .warning .sev { background: var(--amber-soft); color: var(--amber); }
        .what { font-weight: 600; }
        .what em { font-weight: 500; color: var(--soft); }
        .why { color: var(--soft); margin: 5px 0 0; font-size: 13px; }
        .fixes { margin: 6px 0 0; padding: 0; list-style: none; font-size: 13px; }
        .fixes li { padding-left: 18px; position: relative; color: var(--soft); }
        .fixes li::before { content: "→"; position: absolute; left: 0; color: var(--faint); }
        .fixes .best { color: inherit; }
        .fixes .best b { color: var(--green); font-weight: 620; }
        .finding .gauge { grid-template-columns: 34px 1fr 66px; margin-top: 8px; }
        .slow .pin { font-size: 13px; padding: 4px 8px; }
        .slow .line { display: flex; gap: 7px; align-items: baseline; min-width: 0; }
        .slow .path { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; color: var(--soft); font: 12px var(--mono); }
        .rest, .none, .empty { color: var(--soft); }
        .dot, .legend i { display: inline-block; width: 10px; height: 10px; border-radius: 3px; flex: none; }

        .tools { display: flex; flex-wrap: wrap; gap: 7px; align-items: center; }
        .tools .q { flex: 1 1 150px; min-width: 0; }
        .tools select { max-width: 128px; }
        .views, .zoom { display: inline-flex; }
        .views button, .zoom button { border-radius: 0; margin-left: -1px; min-width: 30px; }
        .views button:first-child, .zoom button:first-child { border-radius: 7px 0 0 7px; margin-left: 0; }
        .views button:last-child, .zoom button:last-child { border-radius: 0 7px 7px 0; }
        .state { display: flex; flex-wrap: wrap; gap: 4px 10px; align-items: center; margin: 6px 0; min-height: 26px; color: var(--soft); font-size: 13px; }
        .state button { height: 24px; padding: 0 9px; font-size: 12px; }
        .overview { position: relative; height: 44px; border: 1px solid var(--line); border-radius: 7px; overflow: hidden;
          cursor: crosshair; touch-action: pan-y; margin-bottom: 6px; }
        .overview svg { width: 100%; height: 100%; display: block; }
        .overview path { fill: var(--accent); opacity: .38; }
        .most { position: absolute; left: 7px; top: 3px; font-size: 11px; color: var(--soft); pointer-events: none; }
        .brush { position: absolute; top: 0; bottom: 0; background: var(--accent); opacity: .2; pointer-events: none; }
        .head, .row { display: grid; column-gap: 8px; align-items: center;
          grid-template-columns: 34px 42px minmax(110px, 5fr) 46px 60px 58px minmax(0, 8fr); }
        .head { position: sticky; top: 0; z-index: 2; background: var(--paper); color: var(--soft); font-size: 12px; height: 28px;
          border-bottom: 1px solid var(--line); }
        .n, .s, .b, .d { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
        .n { color: var(--faint); font-size: 12px; }
        .m { font-size: 11px; font-weight: 620; color: var(--soft); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
        .b { color: var(--soft); }
        .rows, .lanes { list-style: none; margin: 0; padding: 0; position: relative; }
        .row { height: 26px; font-size: 13px; border-radius: 5px; cursor: pointer; content-visibility: auto;
          contain-intrinsic-size: auto 26px; }
        .row:hover, .row:focus { background: var(--hover); }
        .row:focus-visible { outline-offset: -2px; }
        .row.hit { background: var(--hit); }
        .has-sel .row:not(.hit), .has-sel .lanes g:not(.hit) { opacity: .34; }
        .row.crit .n { box-shadow: inset 3px 0 var(--crit); color: var(--crit); font-weight: 650; }
        .row .t { display: flex; white-space: nowrap; min-width: 0; overflow: hidden; font: 12px/1.5 var(--mono); }
        .row bdi { flex: 0 999 auto; min-width: 3ch; overflow: hidden; text-overflow: ellipsis; }
        .row .e { flex-shrink: 1; }
        .row .h { display: none; flex: 0 0 30%; margin-right: 6px; overflow: hidden; text-overflow: ellipsis; color: var(--faint); }
        .hosts .row .h { display: block; }
        .c4xx { color: var(--amber); font-weight: 620; }
        .c5xx, .cfailed { color: var(--red); font-weight: 620; }
        .c3xx, .ccache, .copen, .cnone { color: var(--soft); }
        .bar { display: block; width: 100%; height: 20px; overflow: hidden; }
        .row .bar, .lane .bar { background-image: linear-gradient(to right, var(--grid) 1px, transparent 1px);
          background-size: var(--step, 25%) 100%; background-position: var(--shift, 0) 0; height: 100%; }
        .bar .span { fill: none; stroke: var(--queueing); stroke-width: 1.5px; vector-effect: non-scaling-stroke; stroke-linecap: square; }
        .bar .onpath { stroke: var(--crit); stroke-width: 2.5px; vector-effect: non-scaling-stroke; }
        .ruler { width: 100%; height: 28px; overflow: visible; }
        .ruler text { fill: var(--soft); font-size: 11px; font-variant-numeric: tabular-nums; }
        .ruler line { stroke: var(--line); }
        .queueing { fill: var(--queueing); background: var(--queueing); } .dns { fill: var(--dns); background: var(--dns); }
        .connect { fill: var(--connect); background: var(--connect); } .tls { fill: var(--tls); background: var(--tls); }
        .request { fill: var(--request); background: var(--request); } .waiting { fill: var(--waiting); background: var(--waiting); }
        .download { fill: var(--download); background: var(--download); } .cache { fill: var(--cache); background: var(--cache); }
        .other { fill: var(--other); background: var(--other); } .mark { background: var(--crit); }
        .lane, .by-lane .head { display: grid; grid-template-columns: minmax(120px, 2fr) minmax(0, 7fr); column-gap: 10px; }
        .lane { align-items: start; border-top: 1px solid var(--grid); padding: 3px 0; }
        .lane:first-child { border-top: 0; }
        .by-lane .head span:not(.t) { display: none; }
        .lane span { font: 12px/1.4 var(--mono); color: var(--soft); padding-top: 2px; }
        .lane b { color: var(--ink); font-weight: 600; }
        .lane g { cursor: pointer; outline: none; }
        .lane g:focus-visible rect { stroke: var(--ink); stroke-width: 2px; vector-effect: non-scaling-stroke; }
        .legend { display: flex; flex-wrap: wrap; gap: 4px 14px; list-style: none; padding: 10px 0 0; margin: 6px 0 0; color: var(--soft);
          font-size: 12px; border-top: 1px solid var(--line); }
        .legend li { display: inline-flex; align-items: center; gap: 6px; }
        .card { position: fixed; z-index: 9; width: 380px; max-width: calc(100vw - 20px); max-height: min(70vh, 560px); overflow: auto;
          background: var(--paper); border: 1px solid var(--line); border-radius: 11px; padding: 13px 15px; pointer-events: none;
          box-shadow: 0 8px 30px rgba(0, 0, 0, .22); font-size: 13px; }
        .card.pinned { pointer-events: auto; border-color: var(--accent); }
        .card h3 { font: 600 12px/1.5 var(--mono); margin: 0 0 2px; }
        .card .url { font: 11px/1.4 var(--mono); color: var(--soft); margin: 0 0 8px; }
        .card table { border-collapse: collapse; width: 100%; }
        .card td { padding: 1px 0; vertical-align: top; }
        .card td:last-child { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
        .card .facts td:last-child { white-space: normal; padding-left: 14px; }
        .card .facts td:first-child { color: var(--soft); white-space: nowrap; }
        .card td .dot { margin-right: 7px; }
        .card hr { border: 0; border-top: 1px solid var(--line); margin: 8px 0; }
        .card ul { margin: 0; padding: 0 0 0 16px; }
        .card button { float: right; border: 0; background: none; cursor: pointer; font-size: 16px; line-height: 1; padding: 4px; }
        .foot { color: var(--faint); font-size: 12px; padding-top: 14px; padding-bottom: 30px; }
        .foot ul { padding-left: 18px; }

        @media (min-width: 1081px) and (max-width: 1360px) { .panes { grid-template-columns: minmax(0, 1fr) 336px; } }
        @media (max-width: 1080px) {
          .panes { grid-template-columns: minmax(0, 1fr); }
          .side, .chart { grid-column: 1; }
          .side { grid-row: auto; position: static; max-height: none; overflow: visible; }
          .chart { grid-row: auto; }
          .jump { display: inline; }
          h1 .jump { margin-left: 10px; font-weight: 500; letter-spacing: 0; }
        }
        @media (max-width: 640px) {
          .masthead, .unit, .foot { padding-left: 12px; padding-right: 12px; }
          h1 { font-size: 21px; }
          .tiles div { padding: 8px 12px; flex-basis: 28%; }
          .tiles dd { font-size: 19px; }
          .tools .q { flex-basis: 100%; height: 36px; font-size: 16px; }
          .tools select { flex: 1 1 28%; max-width: none; min-width: 0; }
          .tools button, .tools select { height: 34px; }
          .chart, section { padding: 12px; }
          .head, .row { grid-template-columns: 26px minmax(0, 1fr) auto 58px; }
          .head .m, .head .b, .row .m, .row .b { display: none; }
          .row { height: 44px; contain-intrinsic-size: auto 44px; row-gap: 0; }
          .row .n { grid-column: 1; grid-row: 1; } .row .t { grid-column: 2; grid-row: 1; }
          .row .s { grid-column: 3; grid-row: 1; } .row .d { grid-column: 4; grid-row: 1; }
          .row .bar { grid-column: 2 / -1; grid-row: 2; height: 14px; align-self: start; }
          .head { height: auto; padding-top: 4px; }
          .head .ruler { grid-column: 2 / -1; height: 20px; }
          .head .t { text-align: left; }
          .lane, .by-lane .head { grid-template-columns: minmax(0, 1fr); }
          .by-lane .head .t { display: none; }
          .by-lane .head .ruler { grid-column: 1; }
          .card { left: 10px !important; right: 10px; top: auto !important; bottom: 10px; width: auto; max-height: 55vh; }
        }
        @media (prefers-reduced-motion: no-preference) { .row, .lanes g { transition: opacity .12s; } }
        @media print {
          :root { --page: #fff; --hover: #fff; }
          body { font-size: 12px; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
          .tools, .state, .overview, .card, .pick, .jump { display: none !important; }
          .masthead, .unit, .foot { max-width: none; padding: 0; }
          .panes { display: block; }
          .side { position: static; max-height: none; overflow: visible; }
          .head { position: static; }
          .row { content-visibility: visible; break-inside: avoid; height: 20px; font-size: 10px; }
          .finding, .slow li, section.forecast { break-inside: avoid; }
          .chart { margin-top: 12px; }
        }

        """#
}
