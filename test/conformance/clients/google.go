// One call of Google's client for Go, as its users write it, with BASE and KEY in the environment. It is built by hand, in .venvs/google-go with
// this file in it: go mod init river && go get google.golang.org/genai@v1.77.0 && go build -o river
package main

import (
	"context"
	"fmt"
	"os"

	"google.golang.org/genai"
)

func main() {
	ctx := context.Background()
	client, err := genai.NewClient(ctx, &genai.ClientConfig{
		APIKey: os.Getenv("KEY"), Backend: genai.BackendGeminiAPI, HTTPOptions: genai.HTTPOptions{BaseURL: os.Getenv("BASE")},
	})
	if err == nil {
		var answer *genai.GenerateContentResponse
		if answer, err = client.Models.GenerateContent(ctx, "gemini-2.5-flash", genai.Text("Name a river."), nil); err == nil {
			fmt.Println(answer.Text())
			return
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
